"""Every Python example that a reader can find is run: README, docs, examples/."""

import doctest
import runpy
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
LANGUAGES = {"python", "py", "pycon"}


def python_blocks(page: Path) -> Iterator[tuple[int, str]]:
    """Yield the number of the first line (from 1) and the text of each fenced Python block."""
    fence, indent, language, first, code = "", 0, "", 0, []
    for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1):
        bare = line.strip()
        if not fence:
            mark = bare[: len(bare) - len(bare.lstrip("`~"))]
            if len(mark) >= 3:
                fence, indent, first, code = mark, len(line) - len(line.lstrip()), number + 1, []
                language = (bare[len(mark) :].replace("{", " ").split() or [""])[0]
        elif bare.startswith(fence) and not bare.strip("`~"):
            if language in LANGUAGES:
                yield first, "\n".join(code) + "\n"
            fence = ""
        else:
            code.append(line[min(indent, len(line) - len(line.lstrip())) :])
    assert not fence, f"{page}:{first - 1}: this fence is never closed"


def run(page: Path) -> None:
    """Run the blocks of one page from top to bottom, in one namespace, as a reader would."""
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    names: dict[str, object] = {"__name__": "__main__"}
    for line, code in python_blocks(page):
        if ">>>" not in code:
            # Empty lines in front, so that a traceback points into the page.
            exec(compile("\n" * (line - 1) + code, str(page), "exec"), names)
            continue
        test = doctest.DocTestParser().get_doctest(code, names, page.name, str(page), line - 1)
        report: list[str] = []
        runner.run(test, out=report.append, clear_globs=False)
        names.update(test.globs)
        if report:
            pytest.fail("".join(report), pytrace=False)


def name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").rglob("*.md")])
SCRIPTS = sorted((ROOT / "examples").rglob("*.py"))


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_page(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # examples may write files
    run(page)


@pytest.mark.parametrize("script", SCRIPTS, ids=name)
def test_script(
    script: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(script), run_name="__main__")
    assert capsys.readouterr().out


def test_readme_has_examples() -> None:
    assert list(python_blocks(ROOT / "README.md"))


class TestTheRunner:
    """A checker that finds nothing looks like one that passes."""

    def page(self, folder: Path, text: str) -> Path:
        page = folder / "page.md"
        page.write_text(text, encoding="utf-8")
        return page

    def test_finds_blocks_and_their_lines(self, tmp_path: Path) -> None:
        page = self.page(
            tmp_path,
            "# Page\n```python\na = 1\n```\n- item\n  ~~~py\n  if a:\n      b = 2\n  ~~~\n"
            "````text\n```python\nnot code\n```\n````\n```bash\nls\n```\n",
        )
        assert list(python_blocks(page)) == [(3, "a = 1\n"), (7, "if a:\n    b = 2\n")]

    def test_blocks_share_names(self, tmp_path: Path) -> None:
        run(
            self.page(
                tmp_path,
                "```python\na = 1\n```\n```python\n>>> b = a + 1\n>>> b\n2\n```\n"
                "```python\nassert b == 2\n```\n",
            )
        )

    def test_wrong_output_names_the_line(self, tmp_path: Path) -> None:
        page = self.page(tmp_path, "text\n\n```python\n>>> 1 + 1\n3\n```\n")
        with pytest.raises(pytest.fail.Exception, match=r'page.md", line 4(?s:.*)Got:\s+2'):
            run(page)

    def test_exception_names_the_line(self, tmp_path: Path) -> None:
        page = self.page(tmp_path, "text\n```python\nx = 1\nx / 0\n```\n")
        with pytest.raises(ZeroDivisionError) as caught:
            run(page)
        assert caught.traceback[-1].lineno == 3  # counted from 0
        assert str(caught.traceback[-1].path) == str(page)

    def test_open_fence_is_an_error(self, tmp_path: Path) -> None:
        with pytest.raises(AssertionError, match=r"page.md:1: this fence is never closed"):
            run(self.page(tmp_path, "```python\nx = 1\n"))
