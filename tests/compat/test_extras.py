"""A missing package is named with what installs it, and nothing heavy comes with onstream."""

import doctest
import inspect
import subprocess
import sys
from pathlib import Path

import pytest

import onstream.compat
from onstream.compat.extras import needed

HEAVY = ("sklearn", "river", "onnx", "mlflow")


def test_a_missing_package_is_named_with_its_extra() -> None:
    with pytest.raises(ImportError, match=r'^x needs nowhere: pip install "onstream\[compat\]"$'):
        needed("nowhere", "compat", "x")


@pytest.mark.parametrize(
    ("name", "package", "extra"),
    [
        ("to_sklearn", "sklearn", "compat"),
        ("to_river", "river", "compat"),
        ("to_onnx", "onnx", "onnx"),
    ],
)
def test_a_missing_extra_is_one_line(name: str, package: str, extra: str) -> None:
    code = (
        f"import sys; sys.modules[{package!r}] = None\n"
        f"import onstream.compat\n"
        f"try: onstream.compat.{name}\n"
        f"except ImportError as error: print(error)"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert said.stdout.strip().endswith(f'needs {package}: pip install "onstream[{extra}]"')


def test_nothing_heavy_is_imported_with_onstream() -> None:
    code = f"import sys, onstream, onstream.compat; print([m for m in {HEAVY} if m in sys.modules])"
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert said.stdout.strip() == "[]"


@pytest.mark.parametrize("name", onstream.compat.__all__)
def test_examples_are_true(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    function = getattr(onstream.compat, name)
    text = inspect.getdoc(function) or ""
    names = {name: function, "Path": Path}
    test = doctest.DocTestParser().get_doctest(text, names, name, None, 0)
    report: list[str] = []
    doctest.DocTestRunner().run(test, out=report.append)
    assert not report, "".join(report)
    assert test.examples or name == "expected_failed_checks"
