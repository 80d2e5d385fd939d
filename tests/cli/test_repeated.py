"""Options that may be repeated add up, in every command that has them."""

from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

import onstream
from onstream.cli.main import app
from onstream.cli.sources import column_types, columns
from onstream.persist import load_notes

from .calling import call

COMMANDS = get_command(app).commands  # type: ignore[attr-defined]
LISTS = ("drop", "only", "types", "missing", "ids", "metric", "model", "allow_host")
ROWS = "id,when,zip,a,b,y\n" + "".join(f"{i},d{i},{i},{i % 7},-999,{i % 2}\n" for i in range(20))


def test_whatever_takes_several_can_be_repeated() -> None:
    for name, command in COMMANDS.items():
        for option in command.params:
            if name in ("train", "follow") and option.name == "model":
                continue  # a second one is an error
            wanted = option.name in LISTS
            if name in ("predict", "inspect", "export") and option.name == "model":
                continue  # one file
            assert option.multiple == wanted, (name, option.name)
            if wanted:
                assert "repeat it" in option.help, (name, option.name)


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    path = tmp_path / "rows.csv"
    path.write_text(ROWS)
    return path


def learned(rows: Path, *more: Any) -> dict[str, str]:
    """The columns that `train`, `run` and `convert` take with these options."""
    found = []
    out = rows.with_name("m.onstream")
    for command, save in (("train", "--out"), ("run", "--save")):
        call(command, rows, "-t", "y", "-m", "PAClassifier()", save, out, "-q", *more)
        found.append(dict(load_notes(out)["columns"]))
        out.unlink()
    table = rows.with_name("x.jsonl")
    call("convert", rows, table, "-t", "y", *more)
    first = next(iter(onstream.streams.read_jsonl(table, target="y")))[0]
    assert found[0] == found[1]
    assert {name for name in first if first[name] is not None} <= set(found[0])
    return found[0]


def test_drop_only_types_and_missing_add_up(rows: Path) -> None:
    assert set(learned(rows, "--drop", "id", "--drop", "when")) == {"zip", "a", "b"}
    assert set(learned(rows, "--drop", "id,b", "--drop", "when")) == {"zip", "a"}
    assert set(learned(rows, "--only", "a", "--only", "b")) == {"a", "b"}
    more = ("--only", "zip,a,b", "--types", "zip=str", "--types", "a=text")
    assert learned(rows, *more) == {"zip": "text", "a": "text", "b": "number"}
    more = ("--only", "a,b", "--missing", "-999", "--missing", "3")
    assert set(learned(rows, *more)) == {"a"}


def test_predict_adds_up_too(rows: Path) -> None:
    model = rows.with_name("m.onstream")
    call(
        "train", rows, "-t", "y", "-m", "PAClassifier()", "--only", "a", "--only", "b", "-o", model
    )
    kept = call("predict", model, rows, "--id", "id", "--id", "when").stdout
    assert kept.startswith("id,when,prediction\n0,d0,")
    plain = onstream.load(model)
    onstream.save(plain, model)  # without notes: the options alone choose
    told = call("predict", model, rows, "--drop", "id,when", "--drop", "zip", "--drop", "y")
    only = call("predict", model, rows, "--only", "a", "--only", "b")
    assert told.stdout == only.stdout


def test_names_with_commas_are_quoted() -> None:
    assert columns(["a, b", '"c,d",e', "a"]) == ["a", "b", "c,d", "e"]
    assert columns(None) is None
    assert column_types(["a=str", "b=float,c=bool"]) == {"a": str, "b": float, "c": bool}
    with pytest.raises(ValueError, match="two types for 'a'"):
        column_types(["a=str", "a=float"])
    assert column_types(["a=str", "a=text"]) == {"a": str}


def test_a_column_without_a_name_can_be_dropped() -> None:
    assert columns(["a,b", ""]) == ["a", "b", ""]
    assert columns(["a"]) == ["a"]
