"""Bytes become lines, whatever their number and their first bytes."""

from pathlib import Path

import pytest

from onstream.streams import files, read_arff, read_csv, read_jsonl, read_libsvm, read_vw

ARFF = b"@relation r\n@attribute a numeric\n@attribute y {0, 1}\n@data\n1,0\n2,1\n"
READERS = {
    "csv": (lambda path: read_csv(path, "y"), b"a,y\n1,0\n2,1\n"),
    "csv without header": (lambda path: read_csv(path, 1, header=False), b"1,0\n2,1\n"),
    "jsonl": (lambda path: read_jsonl(path, "y"), b'{"a": 1, "y": 0}\n{"a": 2, "y": 1}\n'),
    "libsvm": (lambda path: read_libsvm(path), b"0 1:1\n1 1:2\n"),
    "vw": (lambda path: read_vw(path), b"0 |f a\n1 |f b\n"),
    "arff": (lambda path: read_arff(path, "y"), ARFF),
}


@pytest.mark.parametrize("format", READERS)
@pytest.mark.parametrize("chunk", [1, 2, 5, 1000])
def test_a_mark_at_the_beginning_is_passed_over(
    tmp_path: Path, monkeypatch, format: str, chunk: int
) -> None:
    monkeypatch.setattr(files.line_blocks, "__defaults__", (chunk,))
    read, data = READERS[format]
    (tmp_path / "plain").write_bytes(data)
    (tmp_path / "marked").write_bytes(b"\xef\xbb\xbf" + data)
    rows = list(read(tmp_path / "plain"))
    assert len(rows) == 2
    assert list(read(tmp_path / "marked")) == rows
    (tmp_path / "marked").write_bytes(b"\xef\xbb\xbf" + data[:-1])  # without the last newline
    assert list(read(tmp_path / "marked")) == rows


@pytest.mark.parametrize("format", READERS)
@pytest.mark.parametrize("chunk", [1, 1000])
def test_no_text_that_could_be_read(tmp_path: Path, monkeypatch, format: str, chunk: int) -> None:
    monkeypatch.setattr(files.line_blocks, "__defaults__", (chunk,))
    read, data = READERS[format]
    path = tmp_path / "data"
    path.write_bytes(data.replace(b"\n", b"\r"))
    with pytest.raises(ValueError, match="data: the lines end in carriage returns alone"):
        list(read(path))
    path.write_bytes(data.decode().encode("utf-16"))
    with pytest.raises(ValueError, match="data: this is UTF-16"):
        list(read(path))
