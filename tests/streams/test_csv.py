"""CSV files: types, columns, options, and lines that cannot be read."""

import bz2
import gzip
import io
import re
import warnings
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from onstream import LogisticRegression
from onstream.base import DataWarning
from onstream.streams import Stream, files, read_csv

TEXT = "age,city,member,pay\n31,Bonn,true,1.5\n45,Köln,false,2\n,Bonn,true,3\n"


def test_rows(write) -> None:
    assert list(read_csv(write(TEXT), target="pay")) == [
        ({"age": 31.0, "city": "Bonn", "member": True}, 1.5),
        ({"age": 45.0, "city": "Köln", "member": False}, 2.0),
        ({"age": None, "city": "Bonn", "member": True}, 3.0),
    ]


@pytest.mark.parametrize("n", [1, 2, 3, 10])
def test_blocks_are_the_rows(write, n: int) -> None:
    stream = read_csv(write(TEXT), target="pay")
    blocks = list(stream.batches(n))
    assert [x for X, _ in blocks for x in X.to_pylist()] == [x for x, _ in stream]
    assert [y for _, y in blocks for y in y.tolist()] == [1.5, 2.0, 3.0]


def test_keys_are_shared(write) -> None:
    first, second, _ = (list(x) for x, _ in read_csv(write(TEXT), target="pay"))
    assert all(a is b for a, b in zip(first, second, strict=True))


def test_columns(write) -> None:
    path = write(TEXT)
    assert next(iter(read_csv(path, "pay", drop="city", weight="age", skip=0, limit=1))) == (
        {"member": True},
        1.5,
        31.0,
    )
    assert next(iter(read_csv(path, target=-1, only=["age", "pay"]))) == ({"age": 31.0}, 1.5)
    assert next(iter(read_csv(path)))[1] is None
    with pytest.raises(ValueError, match=r'no column "pya" \(target\). Did you mean "pay"'):
        list(read_csv(path, target="pya"))
    with pytest.raises(ValueError, match='no column "x"'):
        list(read_csv(path, drop=["x"]))
    with pytest.raises(ValueError, match="there are 4 columns"):
        list(read_csv(path, target=4))
    with pytest.raises(ValueError, match="both 'pay'"):
        read_csv(path, target="pay", weight="pay")


@pytest.mark.filterwarnings("ignore:.*dates or times:onstream.base.DataWarning")
@pytest.mark.parametrize(
    ("column", "values", "kind"),
    [
        ("a", ["1", "2"], float),  # a feature may turn out to be a fraction
        ("y", ["1", "2"], int),
        ("y", ["1.0", "2"], float),
        ("y", ["yes", "no"], str),
        ("y", ["true", "false"], bool),
        ("a", ["2020-01-01", "2020-01-02"], str),
        ("a", ["01234", "99999"], str),
        ("a", ["07", "12"], float),
        ("a", ["12:30:00", "12:31:00"], str),
        ("a", ["2020-01-01 10:00:00", "2020-01-02 10:00:00"], str),
    ],
)
def test_types(write, column: str, values: list[str], kind: type) -> None:
    other = "y" if column == "a" else "a"
    path = write(f"{column},{other}\n" + "".join(f"{v},7\n" for v in values))
    for x, y in read_csv(path, target="y"):
        assert type({**x, "y": y}[column]) is kind


def test_types_given(write) -> None:
    path = write("zip,y\n01234,1\n99999,2\n")
    assert [x for x, _ in read_csv(path, target="y", types={"zip": str})] == [
        {"zip": "01234"},
        {"zip": "99999"},
    ]
    assert next(iter(read_csv(path, target="y", types={"y": float})))[1] == 1.0
    with pytest.raises(ValueError, match="float, int, bool or str"):
        read_csv(path, types={"zip": list})
    with pytest.raises(ValueError, match=r'no column "z" \(types\)'):
        list(read_csv(path, types={"z": str}))


def test_a_later_fraction_is_fine_in_a_feature_not_in_a_whole_target(write, monkeypatch) -> None:
    monkeypatch.setattr(files.line_blocks, "__defaults__", (8,))
    path = write("a,y\n" + "1,1\n" * 10 + "1.5,1\n" + "2,1.5\n")
    with pytest.raises(ValueError, match=r"line 13, column \"y\": '1.5' is not a whole number"):
        list(read_csv(path, target="y"))
    assert len(list(read_csv(path, target="y", types={"y": float}))) == 12


def test_header(write) -> None:
    path = write("1,2\n3,4\n")
    assert list(read_csv(path, target=1, header=False)) == [({"0": 1.0}, 2), ({"0": 3.0}, 4)]
    assert list(read_csv(path, target="b", header=["a", "b"])) == [({"a": 1.0}, 2), ({"a": 3.0}, 4)]
    with pytest.raises(ValueError, match="two columns called"):
        list(read_csv(write("a,a\n1,2\n")))
    with pytest.raises(ValueError, match="the file is empty"):
        list(read_csv(write("")))
    assert list(read_csv(write("a,b\n"))) == []
    assert list(read_csv(write("\ufeffa,b\n1,2\n"), target="b")) == [({"a": 1.0}, 2)]


def test_tsv_and_delimiters(write) -> None:
    assert list(read_csv(write("a\ty\n1\t2\n", "x.tsv"), target="y")) == [({"a": 1.0}, 2)]
    assert list(read_csv(write("a;y\n1;2\n"), target="y", delimiter=";")) == [({"a": 1.0}, 2)]
    with pytest.raises(ValueError, match="one character"):
        read_csv(write("a"), delimiter="ab")


def zst(data: bytes) -> bytes:
    out = pa.BufferOutputStream()
    with pa.CompressedOutputStream(out, "zstd") as file:
        file.write(data)
    return out.getvalue().to_pybytes()


@pytest.mark.parametrize("compress", [gzip.compress, bz2.compress, zst])
@pytest.mark.parametrize("named", [True, False])
def test_compressed(write, compress, named: bool) -> None:
    end = {"compress": ".gz"}.get(compress.__name__, ".zst") if named else ""
    path = write(compress(TEXT.encode()), "data.csv" + end)
    stream = read_csv(path, target="pay")
    assert len(list(stream)) == 3
    assert stream.bytes_done == stream.bytes_total == path.stat().st_size


def test_damaged_archive(write) -> None:
    rng = np.random.default_rng(0)
    text = "a,y\n" + "".join(f"{v},1\n" for v in rng.normal(size=50_000))
    whole = gzip.compress(text.encode())
    path = write(whole[: len(whole) // 2], "half.csv.gz")
    with pytest.raises(ValueError, match=r"half.csv.gz: line [\d,]+: the compressed file is cut"):
        list(read_csv(path, target="y"))
    stream = read_csv(path, target="y", on_error="skip")
    assert 20_000 < len(list(stream)) < 30_000
    assert 1 <= stream.rejected <= 2


def test_bytes_and_rows_are_counted(write) -> None:
    text = "a,y\n" + "1,1\n" * 600_000
    stream = read_csv(write(text), target="y")
    seen = []
    for _ in stream.batches(50_000):
        seen.append((stream.rows, stream.bytes_done))
        assert stream.bytes_total == len(text)
    assert [rows for rows, _ in seen] == [50_000 * i for i in range(1, 13)]
    done = [done for _, done in seen]
    assert done == sorted(done)
    assert done[0] < len(text) // 2
    assert stream.bytes_done == len(text)


def test_several_files(write) -> None:
    write("a,y\n1,1\n2,2\n", "d2.csv")
    write("a,y\n3,3\n", "d1.csv")
    folder = write("y,a\n4,4\n", "d3.csv").parent
    assert [y for _, y in read_csv(f"{folder}/d*.csv", target="y")] == [3, 1, 2, 4]
    assert [y for _, y in read_csv([folder / "d2.csv", folder / "d1.csv"], "y")] == [1, 2, 3]
    write("a,z\n1,1\n", "e.csv")
    told = r'e.csv: its columns differ .*d1.csv: "y" is missing here, "z" is only here\. .*only'
    with pytest.raises(ValueError, match=told):
        list(read_csv([folder / "d1.csv", folder / "e.csv"]))
    shared = read_csv([folder / "d1.csv", folder / "e.csv"], only=["a"])
    assert [x for x, _ in shared] == [{"a": 3.0}, {"a": 1.0}]
    with pytest.raises(FileNotFoundError, match="no such file"):
        read_csv(folder / "no.csv")
    with pytest.raises(FileNotFoundError):
        read_csv(f"{folder}/none*.csv")
    with pytest.raises(ValueError, match="is a folder"):
        read_csv(folder)
    with pytest.raises(TypeError, match="a path must be a string"):
        read_csv(3)


def test_standard_input(monkeypatch) -> None:
    class Standard:
        buffer = io.BytesIO(TEXT.encode())

    monkeypatch.setattr("sys.stdin", Standard)
    stream = read_csv("-", target="pay")
    assert len(list(stream)) == 3
    assert stream.bytes_total is None
    assert stream.bytes_done == len(TEXT.encode())


def test_options(write) -> None:
    path = write("a,y\n" + "".join(f"{i},{i}\n" for i in range(100)))

    def labels(stream: Stream) -> list[int]:
        return [y for _, y in stream]

    assert labels(read_csv(path, "y", skip=10, limit=5)) == [10, 11, 12, 13, 14]
    mixed = labels(read_csv(path, "y", shuffle=30, seed=1))
    assert mixed != sorted(mixed) == list(range(100))
    assert labels(read_csv(path, "y", shuffle=30, seed=1)) == mixed
    twice = read_csv(path, "y", epochs=2, limit=3)
    assert labels(twice) == [0, 1, 2, 0, 1, 2]
    assert labels(read_csv(path, "y", epochs=2)) == [*range(100), *range(100)]


BAD = {
    "text in a number": ("x,1", r"line 3, column \"a\": 'x' is not a number"),
    "a bad target": ("1,oops", r"line 3, column \"y\": 'oops' is not a whole number"),
    "few columns": ("1", r"line 3: 2 columns are expected, there are 1"),
    "many columns": ("1,2,3", r"line 3: 2 columns are expected, there are 3"),
    "infinite": ("inf,1", r"line 3, column \"a\": the number is not finite"),
    "too large": ("1e999,1", r"line 3, column \"a\": the number is not finite"),
    "no target": ("1,", r"line 3, column \"y\": the target is missing"),
    "open quote": ('"1,1', r"line 3"),
    "zeros": ("\0,1", r"line 3"),
    "overflow": ("1,99999999999999999999999", r"line 3, column \"y\""),
}


@pytest.mark.parametrize("line", BAD)
def test_bad_lines(write, tmp_path, line: str) -> None:
    text, message = BAD[line]
    path = write(f"a,y\n1,1\n{text}\n3,0\n")
    with pytest.raises(ValueError, match=message):
        list(read_csv(path, target="y", types={"a": float, "y": int}))
    stream = read_csv(path, target="y", types={"a": float, "y": int}, on_error=tmp_path / "bad.txt")
    assert list(stream) == [({"a": 1.0}, 1), ({"a": 3.0}, 0)]
    assert stream.rejected == 1
    assert stream.rows == 2
    assert (tmp_path / "bad.txt").read_text() == f"{stream.messages[0]}\t{text}\n"
    assert len(stream.messages) == 1


def test_bad_utf8(write) -> None:
    path = write(b"a,y\nx,1\n\xff\xfe,1\nz,0\n")
    with pytest.raises(ValueError, match=r'line 3(, column "a")?: the text is not valid UTF-8'):
        list(read_csv(path, target="y"))
    assert [x["a"] for x, _ in read_csv(path, target="y", on_error="skip")] == ["x", "z"]


def test_bad_utf8_over_several_lines(write) -> None:
    path = write(b'text,label\n"caf\xe9\nau lait",ham\n"b",spam\n')
    told = "line 2: the text is not valid UTF-8; .*encoding='cp1252'.* spans 2 lines"
    with pytest.raises(ValueError, match=told):
        list(read_csv(path, target="label", newlines_in_values=True))
    stream = read_csv(path, target="label", newlines_in_values=True, on_error="skip")
    assert [y for _, y in stream] == ["spam"]
    assert stream.rejected == 1
    stream = read_csv(path, target="label", newlines_in_values=True, encoding="cp1252")
    assert [x["text"] for x, _ in stream] == ["café\nau lait", "b"]


def test_a_stray_quote_among_bad_utf8(write) -> None:
    rows = b"1,2,x\n" * 30
    path = write(b'a,b,y\n"oops,1,x\n' + rows + b"1,2,caf\xe9\n" + rows + b'1,"3",x\n')
    stream = read_csv(path, target="y", newlines_in_values=True, on_error="skip")
    assert len(list(stream)) == 61
    assert "line 2: a quote is opened here by mistake" in stream.messages[0]
    assert "line 33: the text is not valid UTF-8" in stream.messages[1]


def test_the_first_messages_are_those_of_the_first_lines(write) -> None:
    bad = {3: "x,1\n", 5: "1\n", 8: '"1,1\n', 9: "inf,1\n", 12: "1,\n", 14: "2,2,2\n"}
    lines = "".join(bad.get(i, "1,1\n") for i in range(2, 40))
    more = write("a,y\n" + "1,1\n" * 5 + "1\n", "more.csv")
    stream = read_csv([write(f"a,y\n{lines}", "a.csv"), more], target="y", on_error="skip")
    assert len(list(stream)) == 37
    found = [re.search(r"(\w+)\.csv: line (\d+)", told).groups() for told in stream.messages]
    assert found == [*(("a", str(i)) for i in bad), ("more", "7")]


def test_only_the_first_few_messages_are_kept(write) -> None:
    stream = read_csv(
        write("a,y\n" + "x,1\n1,1\n" * 60 + "1\n" * 40), "y", on_error="skip", types={"a": float}
    )
    assert len(list(stream)) == 60
    assert stream.rejected == 100
    assert [re.search(r"line (\d+)", told)[1] for told in stream.messages] == [
        str(2 * i) for i in range(1, 11)
    ]


def test_nan_is_missing(write) -> None:
    path = write("a,y\n1,1\nnan,1\n-NaN,0\nNA,0\n?,1\n")
    assert [x["a"] for x, _ in read_csv(path, target="y")] == [1.0, None, None, None, None]


def test_blank_lines_are_no_rows(write) -> None:
    path = write("a,y\n1,1\n\n\n3,0\nx,1\n")
    with pytest.raises(ValueError, match="line 6"):
        list(read_csv(path, target="y", types={"a": float}))
    assert len(list(read_csv(path, target="y", types={"a": float}, on_error="skip"))) == 2


def test_quotes(write) -> None:
    path = write('a,y\n"x, ""y""",1\nz,0\n')
    assert [x["a"] for x, _ in read_csv(path, target="y")] == ['x, "y"', "z"]
    path = write('a,y\n"two\nlines",1\nz,0\n')
    with pytest.raises(ValueError, match="newlines_in_values"):
        list(read_csv(path, target="y"))
    rows = list(read_csv(path, target="y", newlines_in_values=True))
    assert [x["a"] for x, _ in rows] == ["two\nlines", "z"]


def test_values_over_blocks(write, monkeypatch) -> None:
    monkeypatch.setattr(files.line_blocks, "__defaults__", (64,))
    rows = [(f"line {i}\nmore {i}", i) for i in range(100)]
    path = write("a,y\n" + "".join(f'"{a}",{y}\n' for a, y in rows))
    read = read_csv(path, target="y", newlines_in_values=True)
    assert [(x["a"], y) for x, y in read] == rows


@pytest.mark.parametrize("chunk", [64, 1 << 20])
def test_bad_rows_among_those_that_span_lines(write, tmp_path, monkeypatch, chunk: int) -> None:
    monkeypatch.setattr(files.line_blocks, "__defaults__", (chunk,))
    good = "".join(f'"one\n{i}",{i},0\n' for i in range(30))
    path = write("a,b,y\n" + good + '"two\nlines",oops,1\n' + "\n" + good + "short,1\n" + good)
    options = {"target": "y", "newlines_in_values": True, "types": {"b": float, "y": int}}
    with pytest.raises(ValueError, match="line 62, column \"b\": 'oops' is not a number"):
        list(read_csv(path, **options))
    stream = read_csv(path, on_error=tmp_path / "bad.txt", **options)
    assert [x["b"] for x, _ in stream] == [float(i) for i in range(30)] * 3
    assert stream.rejected == 2
    assert stream.messages[1].endswith("line 125: 3 columns are expected, there are 2")
    first, second = stream.messages
    wanted = f'{first}\t"two\nlines",oops,1\n{second}\tshort,1\n'
    assert (tmp_path / "bad.txt").read_text() == wanted


def test_windows_lines(write) -> None:
    assert list(read_csv(write(b"a,y\r\n1,2\r\n3,4"), "y")) == [({"a": 1.0}, 2), ({"a": 3.0}, 4)]


def test_a_line_without_end_is_rejected(write, monkeypatch) -> None:
    monkeypatch.setattr(files, "LONGEST", 1000)
    monkeypatch.setattr(files.line_blocks, "__defaults__", (100,))
    path = write("a,y\n1,1\n" + "9" * 5000 + ",1\n3,0\n")
    with pytest.raises(ValueError, match="line 3: the line is longer than 1,000 bytes"):
        list(read_csv(path, target="y"))
    stream = read_csv(path, target="y", on_error="skip")
    assert [y for _, y in stream] == [1, 0]
    assert stream.rejected == 1
    path = write("a,y\n1,1\n" + "9" * 5000)
    assert [y for _, y in read_csv(path, target="y", on_error="skip")] == [1]


def test_rejected_lines_do_not_go_to_the_file_that_is_read(write, tmp_path: Path) -> None:
    path = write(TEXT)
    link = tmp_path / "link.csv"
    link.symlink_to(path)
    for name in (path, str(path), link):
        with pytest.raises(ValueError, match="is the file that is read; name another one"):
            read_csv(path, target="pay", on_error=name)
    assert Path(path).read_text() == TEXT


def test_on_error(write) -> None:
    with pytest.raises(ValueError, match="on_error must be 'raise', 'skip' or the path"):
        read_csv(write(TEXT), on_error="ignore")


def test_weights_are_checked(write) -> None:
    path = write("a,y,w\n1,1,1\n2,0,-1\n3,1,\n4,0,2\n")
    with pytest.raises(ValueError, match='line 3, column "w": a weight must be a number from 0'):
        list(read_csv(path, target="y", weight="w"))
    stream = read_csv(path, target="y", weight="w", on_error="skip")
    assert [(y, w) for _, y, w in stream] == [(1, 1.0), (0, 2.0)]
    model = LogisticRegression().fit(stream)
    other = LogisticRegression()
    for x, y, w in stream:
        other.learn_one(x, y, w)
    assert model.weights == pytest.approx(other.weights)


def test_the_reader_stops_with_its_listener(write) -> None:
    import threading

    path = write("a,y\n" + "1,1\n" * 400_000)
    before = threading.active_count()
    for _ in range(5):
        rows = iter(read_csv(path, target="y"))
        next(rows)
        rows.close()
    assert len(list(read_csv(path, target="y", limit=10))) == 10
    assert threading.active_count() == before


def test_errors_of_the_reader_reach_the_listener(write) -> None:
    stream = read_csv(write("a,y\n1,1\n"), target="y")
    Path(stream.files[0]).unlink()
    with pytest.raises(FileNotFoundError):
        list(stream)


@settings(max_examples=60, deadline=None)
@given(
    rows=st.lists(
        st.tuples(
            st.floats(allow_nan=False, allow_infinity=False) | st.none(),
            st.text(st.characters(exclude_characters="\r\n\0\"',", codec="utf-8")).map(
                lambda text: f"<{text}>"
            ),
            st.integers(-(2**62), 2**62),
        ),
        min_size=1,
    ),
    chunk=st.integers(1, 200),
)
def test_what_is_written_is_read(tmp_path_factory, rows, chunk: int) -> None:
    path = tmp_path_factory.mktemp("csv") / "a.csv"
    columns = list(zip(*rows, strict=True))
    table = pa.table(
        {
            "number": pa.array(columns[0], pa.float64()),
            "text": pa.array(columns[1], pa.string()),
            "y": pa.array(columns[2], pa.int64()),
        }
    )
    pyarrow.csv.write_csv(table, path)
    old = files.line_blocks.__defaults__
    files.line_blocks.__defaults__ = (chunk,)
    try:
        read = list(read_csv(path, target="y", types={"number": float, "text": str, "y": int}))
    finally:
        files.line_blocks.__defaults__ = old
    assert [(x["number"], x["text"], y) for x, y in read] == rows


def test_a_quote_within_a_value_opens_nothing(tmp_path):
    file = tmp_path / "disks.csv"
    file.write_text('disk,y\n5" disk,1\nx,2\n\n6" disk,3\n"two\n""lines"" of it",4\ny,5\n')
    rows = list(read_csv(file, target="y", newlines_in_values=True))
    assert [x["disk"] for x, _ in rows] == ['5" disk', "x", '6" disk', 'two\n"lines" of it', "y"]
    assert [y for _, y in rows] == [1, 2, 3, 4, 5]


def test_decimal_comma(write) -> None:
    path = write("a;b;y\n0,5;x;1,5\n-1,25e2;z;2\n;x;3\n")
    rows = list(read_csv(path, target="y", decimal=","))
    assert rows == [
        ({"a": 0.5, "b": "x"}, 1.5),
        ({"a": -125.0, "b": "z"}, 2.0),
        ({"a": None, "b": "x"}, 3.0),
    ]
    quoted = write('a,y\n"0,5",1\n"2,5",0\n')
    assert list(read_csv(quoted, target="y", decimal=",", delimiter=",")) == [
        ({"a": 0.5}, 1),
        ({"a": 2.5}, 0),
    ]
    path = write("a;y\n" + "0,5;1\n" * 20 + "0.5;1\n")
    with pytest.raises(ValueError, match=r"line 22, column \"a\": '0\.5' is not a number"):
        list(read_csv(path, target="y", decimal=","))
    with pytest.raises(ValueError, match=r"read_csv: decimal must be '\.' or ','"):
        read_csv(path, decimal=";")


@pytest.mark.parametrize("encoding", ["latin-1", "cp1252", "utf-16", "utf-16-le", "utf-8-sig"])
def test_encoding(write, encoding: str, monkeypatch) -> None:
    monkeypatch.setattr("onstream.streams.recoded.STEP", 7)  # characters are cut
    text = "age,city,größe\n" + "31,Köln,1.5\n45,Bonn,2\n" * 20
    read = read_csv(write(text.encode(encoding)), target="größe", encoding=encoding)
    wanted = [({"age": 31.0, "city": "Köln"}, 1.5), ({"age": 45.0, "city": "Bonn"}, 2.0)]
    assert list(read) == wanted * 20
    assert read.bytes_done == len(text.encode(encoding))


def test_bytes_that_mean_nothing_in_the_encoding(write) -> None:
    path = write(b"a,y\nx,1\n\x81,1\nz,0\n")
    with pytest.raises(ValueError, match=r'line 3(, column "a")?: the text is not valid cp1252'):
        list(read_csv(path, target="y", encoding="cp1252"))
    stream = read_csv(path, target="y", encoding="cp1252", on_error="skip")
    assert [x["a"] for x, _ in stream] == ["x", "z"]
    assert stream.rejected == 1
    half = write("a,y\nx,1\nz,2".encode("utf-16-le")[:-1])
    stream = read_csv(half, target="y", encoding="utf-16-le", on_error="skip", types={"y": int})
    assert [y for _, y in stream] == [1]
    assert stream.rejected == 1
    for wrong in ("utf-99", "base64", 3, None):
        with pytest.raises(ValueError, match="read_csv: encoding must be one that Python knows"):
            read_csv(path, encoding=wrong)


GOOD = "0.8,5,x\n0.2,0,z\n"


@pytest.mark.parametrize(
    ("text", "rows", "rejected"),
    [
        ("\n" + GOOD * 5, 10, 0),
        ("\n\r\n  \n" + GOOD + "\n" + GOOD + "oops\n", 4, 1),
        ('"\n' + GOOD * 5000, 10_000, 1),
        (GOOD + '1,2,"x\n' + GOOD, 4, 1),
        (GOOD + '1,2,"x', 2, 1),
        (b"0.8,5,x\n\n" + GOOD.encode() * 5 + b"\x86\n", 11, 1),
        ("oops\n" * 3000 + GOOD * 5, 10, 3000),
    ],
)
@pytest.mark.parametrize("chunk", [1, 1 << 20])
def test_lines_that_cannot_be_read_decide_nothing(
    write, monkeypatch, text: str | bytes, rows: int, rejected: int, chunk: int
) -> None:
    monkeypatch.setattr(files.line_blocks, "__defaults__", (chunk,))
    text = text.encode() if isinstance(text, str) else text
    if chunk == 1 and len(text) > 1000:
        pytest.skip("each byte alone takes long")
    stream = read_csv(write(b"a,b,y\n" + text), target="y", on_error="skip")
    assert len(list(stream)) == rows
    assert stream.rejected == rejected


def test_blank_lines_before_the_header(write) -> None:
    assert list(read_csv(write("\n \r\na,y\n\n1,2\n"), "y")) == [({"a": 1.0}, 2)]
    assert list(read_csv(write("\n\n1,2\n"), 1, header=False)) == [({"0": 1.0}, 2)]


def test_empty_values_between_tabs_are_a_row(write) -> None:
    path = write("a\tb\n1\t2\n\t\n\n3\tx\n", "a.tsv")
    stream = read_csv(path, on_error="skip", types={"b": float})
    assert [x for x, _ in stream] == [{"a": 1.0, "b": 2.0}, {"a": None, "b": None}]
    path = write("\t\n1\t2\n", "b.tsv")
    assert next(x for x, _ in read_csv(path, header=False)) == {"0": None, "1": None}


@pytest.mark.parametrize(
    ("stray", "rows", "rejected"),
    [
        ('"\n', 2000, 1),  # never closed
        ('"oops,1,x\n', 2000, 1),
        ('"\n' + GOOD * 10 + '"a, b",1,x\n', 2020, 2),  # closed by the next quote, by mistake
        ('"two\nlines",1\n', 2000, 1),  # a row that spans lines: no piece of it is a row
    ],
)
def test_a_stray_quote_takes_no_other_rows_along(write, stray: str, rows, rejected) -> None:
    path = write("a,b,y\n" + GOOD * 500 + stray + GOOD * 500)
    options = {"target": "y", "newlines_in_values": True, "types": {"a": float}}
    stream = read_csv(path, on_error="skip", **options)
    assert len(list(stream)) == rows
    assert stream.rejected == rejected
    assert "line 1,002" in stream.messages[0]
    with pytest.raises(ValueError, match="line 1,002"):
        list(read_csv(path, **options))


def test_many_stray_quotes_do_not_hang(write) -> None:
    path = write("a,b,y\n" + GOOD + 'z",x,"\n' * 20_000)
    stream = read_csv(path, target="y", on_error="skip", newlines_in_values=True)
    assert len(list(stream)) == 2
    assert stream.rejected > 0


def test_a_header_over_two_lines(write) -> None:
    path = write('a,"y\nz"\n1,2\n')
    assert list(read_csv(path, "y\nz", newlines_in_values=True)) == [({"a": 1.0}, 2)]
    with pytest.raises(ValueError, match="line 1: a quote in the header is never closed"):
        list(read_csv(path))


@pytest.mark.parametrize("mark", [";", "\t", "|"])
def test_the_right_delimiter_is_told(write, mark: str) -> None:
    path = write(f"day{mark}hour{mark}rentals\n1{mark}2{mark}3\n")
    with pytest.raises(ValueError, match=r"say delimiter=.* \(--delimiter") as caught:
        list(read_csv(path, target="rentals"))
    assert f"delimiter={mark!r}" in str(caught.value)
    with pytest.raises(ValueError, match="say delimiter"):
        list(read_csv(path, target=-1))
    with pytest.raises(ValueError, match=r"3 columns are expected, there are 1; .*say delimiter"):
        list(read_csv(path, header=["a", "b", "c"]))
    assert len(list(read_csv(path, delimiter=","))) == 1  # if somebody insists


def test_files_that_are_no_plain_text(write) -> None:
    text = "a,y\n1,2\n3,4\n"
    with pytest.raises(ValueError, match=r"UTF-16.*encoding='utf-16' \(--encoding utf-16\)"):
        list(read_csv(write(text.encode("utf-16"))))
    with pytest.raises(ValueError, match=r"not a text file.*encoding='utf-16'"):
        list(read_csv(write(text.encode("utf-16-le"))))
    with pytest.raises(ValueError, match="carriage returns"):
        list(read_csv(write(text.replace("\n", "\r"))))
    with pytest.raises(ValueError, match=r"line 1: the text is not valid UTF-8.*--encoding cp1252"):
        list(read_csv(write("größe,y\n1,2\n".encode("latin-1"))))
    stream = read_csv(write("a,y\n1,2\n1,2\r3,4\n"), on_error="skip")
    assert len(list(stream)) == 1
    assert "a carriage return stands within the line" in stream.messages[0]


def test_numbers_with_a_decimal_comma_are_told_once(write) -> None:
    path = write("temp;day;y\n" + "0,24;1;x\n2;2;z\n" * 30)
    stream = read_csv(path, target="y", delimiter=";")
    with pytest.warns(DataWarning, match=r"column \"temp\".*'0,24'.*decimal=','") as told:
        list(stream)
    assert len(told) == 1
    assert len(list(stream)) == 60  # a second warning would be an error
    assert len(list(read_csv(path, target="y", delimiter=";", types={"temp": str}))) == 60


def test_the_file_of_rejected_lines_tells_why(write, tmp_path) -> None:
    path = write("a,y\n" + "1,1\n" * 20 + "oops\n\n\t\tno,1\n1,2\n")
    stream = read_csv(path, target="y", on_error=tmp_path / "bad.txt", limit=100)
    assert len(list(stream)) == 21
    first, second = (tmp_path / "bad.txt").read_bytes().splitlines()
    assert first == f"{path}: line 22: 2 columns are expected, there are 1\toops".encode()
    why, text = second.split(b"\t", 1)
    assert why.decode().startswith(f"{path}: line 24, column \"a\": '\\t\\tno' is not a number")
    assert text == b"\t\tno,1"
    assert [message.split("\t")[0] for message in stream.messages] == [
        first.split(b"\t")[0].decode(),
        why.decode(),
    ]


def test_signed_targets(write) -> None:
    assert [y for _, y in read_csv(write("a,y\n1,+1\n2,-1\n"), "y")] == [1.0, -1.0]


@pytest.mark.parametrize(
    "wrong", [{"header": None}, {"header": "abc"}, {"header": [1, 2]}, {"missing": 3}]
)
def test_options_that_make_no_sense(write, wrong: dict) -> None:
    with pytest.raises(TypeError, match=f"read_csv: {next(iter(wrong))} must be"):
        read_csv(write(TEXT), **wrong)


def test_one_text_for_missing_values(write) -> None:
    path = write("a,y\nNone,1\nN,2\n")
    assert [x["a"] for x, _ in read_csv(path, "y", missing="None")] == [None, "N"]


@pytest.mark.parametrize("chunk", [3, 1000])
def test_a_mark_within_the_file_is_part_of_a_value(write, monkeypatch, chunk: int) -> None:
    monkeypatch.setattr(files.line_blocks, "__defaults__", (chunk,))
    stream = read_csv(write("a\n1\n\ufeff2\n3\n"), types={"a": float}, on_error="skip")
    assert [x["a"] for x, _ in stream] == [1.0, 3.0]


def test_a_column_without_a_name_is_told(tmp_path):
    """That is how pandas writes an index."""
    path = tmp_path / "index.csv"
    path.write_text(",a,y\n0,1.5,x\n1,2.5,z\n")
    with pytest.warns(DataWarning, match=r"column 1 has no name; .*drop=\[''\] \(--drop ''\)"):
        rows = list(read_csv(path, target="y"))
    assert rows[0] == ({"": 0.0, "a": 1.5}, "x")
    assert next(iter(read_csv(path, target="y", drop=[""]))) == ({"a": 1.5}, "x")


@pytest.mark.parametrize("delimiter", ['"', "\n", "\r", "\0"])
def test_what_can_be_no_delimiter(write, delimiter: str) -> None:
    with pytest.raises(ValueError, match=r"^read_csv: delimiter must be one character .* got"):
        read_csv(write("a,y\n1,2\n"), delimiter=delimiter)


@pytest.mark.parametrize("mark", ["n/a", "#N/A", "<NA>"])
def test_usual_marks_of_missing_numbers_leave_a_column_numeric(write, mark: str) -> None:
    path = write(f"age,y\n3,a\n{mark},b\n4,a\n")
    assert [x["age"] for x, _ in read_csv(path, target="y")] == [3.0, None, 4.0]


def test_a_word_among_numbers_is_told(write) -> None:
    path = write("age,y\n" + "3,a\n4,a\nunknown,b\n" * 10)
    with pytest.warns(DataWarning, match=r"\"age\".*20 of the first 30.*'unknown' \(10 times\)"):
        first, *_ = read_csv(path, target="y")
    assert first == ({"age": "3"}, "a")


def test_few_numbers_among_words_are_not_told(write) -> None:
    path = write("size,y\n" + "3,a\nsmall,b\nlarge,b\n" * 10)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert len(list(read_csv(path, target="y"))) == 30


def test_commas_between_thousands_are_told(write) -> None:
    fractions = write('paid,y\n"1,587.64",a\n948.29,b\n')
    with pytest.warns(DataWarning, match=r"\"paid\".*'1,587.64'.*between thousands") as told:
        list(read_csv(fractions, target="y"))
    assert "decimal" not in str(told[0].message)
    whole = write('paid,y\n"1,587",a\n948,b\n')  # which of both, nobody knows
    with pytest.warns(DataWarning, match=r"between thousands.*or decimal=','"):
        list(read_csv(whole, target="y"))


@pytest.mark.parametrize(
    "values",
    [
        ["2011-01-01", "2011-01-02"],
        ["2011-01-01 10:00:00", "2011-01-01 11:00:00"],
        ["2011-01-01T10:00Z", "2011-01-01T10:00:00.25+02:00"],
        ["2011/1/31", "2011/2/1"],
        ["31.12.2011", "1.1.2012"],
        ["1/31/11 9:05", "2/1/2011 10:15 PM"],
        ["10:00", "11:30:15"],
    ],
)
@pytest.mark.parametrize("decimal", [".", ","])
def test_dates_that_come_again_are_told(write, values: list[str], decimal: str) -> None:
    rows = "".join(f"{value};{row};1\n" for value in values for row in range(24))
    path = write("when;hour;y\n" + rows)
    stream = read_csv(path, target="y", delimiter=";", decimal=decimal)
    wanted = r"\"when\" is taken for text.*dates or times, such as '.*drop=\[\"when\"\].*weekday"
    with pytest.warns(DataWarning, match=wanted) as told:
        (first, _), *_ = stream
    assert len(told) == 1
    assert first["when"] == values[0]
    assert len(list(stream)) == 48  # a second warning would be an error
    for options in ({"types": {"when": str}}, {"drop": ["when"]}):
        assert len(list(read_csv(path, "y", delimiter=";", decimal=decimal, **options))) == 48


def test_a_target_of_dates_cannot_be_left_out(write) -> None:
    with pytest.warns(DataWarning, match="make numbers of it before") as told:
        list(read_csv(write("a,when\n1,2011-01-01\n2,2011-01-02\n"), target="when"))
    assert "drop" not in str(told[0].message)


@pytest.mark.parametrize("values", [["1.2.3", "10.0.4"], ["2:1", "3:2"], ["12-34", "2011-1-x"]])
def test_what_is_no_date_is_not_told(write, values: list[str]) -> None:
    path = write("a,y\n" + "".join(f"{value},1\n" for value in values * 20))
    assert len(list(read_csv(path, target="y"))) == 40


@pytest.mark.parametrize(
    ("values", "decimal", "bare"),
    [
        (["$1,234.50", "$3.00"], ".", "1234.50"),
        (["-$5", "7"], ".", "-5"),
        (["12.3%", "4 %"], ".", "12.3"),
        (["1.234,50 €", "2 €"], ",", "1234,50"),
        (["12,5 €", "£3"], ".", "12.5"),
        (["$1,234,567", "$.5"], ".", "1234567"),
        (["$.50", "-3"], ".", ".50"),
    ],
)
def test_signs_of_currencies_and_per_cent_are_told(write, values, decimal, bare) -> None:
    path = write("usd;y\n" + "".join(f"{value};1\n" for value in values * 5))
    wanted = rf"\"usd\" is taken for text, such as '{re.escape(values[0])}'.*as {re.escape(bare)};"
    stream = read_csv(path, target="y", delimiter=";", decimal=decimal)
    with pytest.warns(DataWarning, match=wanted) as told:
        assert len(list(stream)) == 10
    assert len(told) == 1


def test_signs_among_words_are_not_told(write) -> None:
    path = write("size,y\n" + "$3,a\nsmall,b\n$,b\n%,b\n" * 10)
    assert len(list(read_csv(path, target="y"))) == 40


@pytest.mark.parametrize(
    ("text", "target"),
    [
        ("0.0,0.0,1\n0.5,0.1,0\n", None),
        ("5.1,3.5,setosa\n4.9,3.0,setosa\n", "y"),
        ("7,7\n", "y"),
        ("2011-01-01,3,no\n", "y"),
    ],
)
def test_a_missing_header_is_told(write, text: str, target: str | None) -> None:
    with pytest.raises(ValueError, match=r"looks like values.*header=False \(--no-header\)"):
        list(read_csv(write(text), target=target))
    with pytest.raises(ValueError, match="looks like values"):
        list(read_csv(write(text), drop=["y"]))
    path = write(text.replace("2011-01-01", "5"))
    assert list(read_csv(path, target=-1, header=False))


@pytest.mark.parametrize("head", ["a,b,1", "0,1,2,y", "1,2,3"])
def test_names_that_are_numbers_may_be_a_header(write, head: str) -> None:
    with pytest.raises(ValueError, match="there is no column") as told:
        list(read_csv(write(f"{head}\n"), target="label"))
    assert "values" not in str(told.value)


def test_columns_of_one_name_can_be_left_out(write) -> None:
    path = write("a,b,a,y\n1,2,3,4\n5,,6,7\n")
    with pytest.raises(ValueError, match=r"two columns called \"a\".*drop=\[\"a\"\]\.$"):
        list(read_csv(path, target="y"))
    for options in ({"drop": ["a"]}, {"only": ["b"]}):
        rows = list(read_csv(path, target=-1, **options))
        assert rows == [({"b": 2.0}, 4), ({"b": None}, 7)]
    with pytest.raises(ValueError, match=r"two columns called \"a\": give each .* own\.$"):
        list(read_csv(path, target="a", drop=["b"]))
    with pytest.raises(ValueError, match="two columns"):  # a position means one of them
        list(read_csv(path, target="y", drop=[0]))


@pytest.mark.parametrize(
    ("head", "told"),
    [
        (b"PAR1\x15\x04\n\xff", r"a Parquet file.*--format parquet"),
        (b"ARROW1\0\0\xff\r", r"an Arrow file.*--format ipc"),
        (b"PK\x03\x04\x14\n\xff", r"a ZIP archive.*Excel"),
    ],
)
def test_files_of_other_formats_are_named(write, head: bytes, told: str) -> None:
    path = write(head + b"\x00\x80\n" * 9, name="data.csv")
    with pytest.raises(ValueError, match=rf"data.csv: this is {told}"):
        list(read_csv(path))
