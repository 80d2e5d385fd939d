"""`onstream convert` never makes one feature of two."""

import json
from pathlib import Path

import pytest

from .calling import call


@pytest.mark.parametrize(
    ("text", "one", "other", "both"),
    [
        ("a b,a_b,y\n1,5,0\n", "a b", "a_b", "a_b"),
        ("a_b,a b,y\n1,5,0\n", "a_b", "a b", "a_b"),
        ("a b,a:b,y\n1,5,0\n", "a b", "a:b", "a_b"),
        ("c,y\nx y,0\nx_y,1\n", "c=x y", "c=x_y", "c=x_y"),
        ("c,y\nx_y,0\nx|y,1\n", "c=x_y", "c=x|y", "c=x_y"),
    ],
)
def test_vw(tmp_path: Path, text: str, one: str, other: str, both: str) -> None:
    source, out = tmp_path / "s.csv", tmp_path / "s.vw"
    source.write_text(text)
    told = " ".join(call("convert", source, out, "-t", "y", code=1).stderr.split())
    assert f"the features {one!r} and {other!r} would both be {both!r} in a VW file" in told
    assert not out.exists()


def test_vw_takes_blanks_where_nothing_is_merged(tmp_path: Path) -> None:
    source, out = tmp_path / "s.csv", tmp_path / "s.vw"
    source.write_text("a b,b_c,c,y\n2,5,x y,0\n2,5,x y,1\n2,5,x z,1\n")
    call("convert", source, out, "-t", "y")
    assert out.read_text() == (
        "0 | a_b:2 b_c:5 c=x_y\n1 | a_b:2 b_c:5 c=x_y\n1 | a_b:2 b_c:5 c=x_z\n"
    )


@pytest.mark.parametrize("names", ["1,01", "01,2", "²,2", "٣,2"])
def test_libsvm(tmp_path: Path, names: str) -> None:
    source, out = tmp_path / "s.csv", tmp_path / "s.libsvm"
    source.write_text(f"{names},y\n2,3,1\n")
    told = " ".join(call("convert", source, out, "-t", "y", code=1).stderr.split())
    assert "is not a number with a whole number as its name" in told
    assert not out.exists()


@pytest.mark.parametrize("form", ["csv", "jsonl", "parquet"])
def test_a_feature_called_as_the_target_or_the_weights(tmp_path: Path, form: str) -> None:
    source, out = tmp_path / "s.vw", tmp_path / f"s.{form}"
    source.write_text("1 2.5 | y:7 a:1\n")
    told = " ".join(call("convert", source, out, code=1).stderr.split())
    assert "there is a feature 'y'" in told
    assert "--drop y" in told
    source.write_text("1 2.5 | weight:7 a:1\n")
    told = " ".join(call("convert", source, out, code=1).stderr.split())
    assert "there is a feature 'weight'" in told
    assert not out.exists()
    call("convert", source, out, "--drop", "weight")
    rows = tmp_path / "rows.jsonl"
    call("convert", out, rows)
    assert json.loads(rows.read_text()) == {"a": 1, "y": 1, "weight": 2.5}
