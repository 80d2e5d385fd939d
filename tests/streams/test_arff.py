"""ARFF files, dense and sparse."""

import pytest

from onstream import LogisticRegression
from onstream.streams import files, read_arff

HEADER = """% a comment
@RELATION 'some data'

@attribute age   numeric
@attribute 'home town' {Bonn, 'Bad Köln', "L'Aquila", 'it\\'s'}
@attribute note string
@Attribute size REAL
@attribute class {yes,no}
@data
"""


def test_dense(write) -> None:
    path = write(
        HEADER
        + "31, Bonn, 'a, b', 1.5, yes\n"
        + "% nothing here\n\n"
        + "?,'Bad Köln',\"it's\",-2e1,no\n"
        + "5,'L\\'Aquila',?,?,  yes \r\n"
        + "6,\"it's\",'back\\\\slash \\' quote',0,no"
    )
    stream = read_arff(path, target="class")
    assert list(stream) == [
        ({"age": 31.0, "home town": "Bonn", "note": "a, b", "size": 1.5}, "yes"),
        ({"age": None, "home town": "Bad Köln", "note": "it's", "size": -20.0}, "no"),
        ({"age": 5.0, "home town": "L'Aquila", "note": None, "size": None}, "yes"),
        ({"age": 6.0, "home town": "it's", "note": "back\\slash ' quote", "size": 0.0}, "no"),
    ]
    assert list(read_arff(path, target=-1)) == list(stream)
    assert stream.bytes_done == stream.bytes_total


def test_columns(write) -> None:
    path = write(HEADER + "31,Bonn,x,1.5,yes\n2,Bonn,y,0,no\n")
    rows = list(read_arff(path, target="size", weight="age", only=["note", "class"]))
    assert rows == [
        ({"note": "x", "class": "yes"}, 1.5, 31.0),
        ({"note": "y", "class": "no"}, 0.0, 2.0),
    ]
    assert next(iter(read_arff(path, drop=["note", "class"], limit=1)))[0] == {
        "age": 31.0,
        "home town": "Bonn",
        "size": 1.5,
    }
    with pytest.raises(ValueError, match=r'no column "clas".*Did you mean "class"'):
        list(read_arff(path, target="clas"))


def test_sparse(write) -> None:
    path = write(
        HEADER + "{0 31, 1 'Bad Köln', 4 no}\n{}\n{ 3 1.5 , 2 'some text' }\n{1 Bonn, 3 ?}\n"
    )
    assert list(read_arff(path, target="class")) == [
        ({"age": 31.0, "home town=Bad Köln": 1.0}, "no"),
        ({}, "yes"),
        ({"size": 1.5, "note=some text": 1.0}, "yes"),
        ({}, "yes"),
    ]
    path = write(HEADER + "{0 31, 4 no}\n{}\n{ 3 1.5 }\n")
    weighted = list(read_arff(path, target="size", weight="age", only=["class"]))
    assert weighted == [({"class=no": 1.0}, 0.0, 31.0), ({}, 0.0, 0.0), ({}, 1.5, 0.0)]


def test_learners_know_the_features_of_both_forms(write) -> None:
    dense = write(HEADER + "1,Bonn,?,2,yes\n2,'Bad Köln',?,0,no\n", "a.arff")
    sparse = write(HEADER + "{0 1, 3 2}\n{0 2, 1 'Bad Köln', 4 no}\n", "b.arff")
    model = LogisticRegression().fit(read_arff(dense, target="class", drop="note"))
    assert set(model.weights) == {"age", "home town=Bonn", "home town=Bad Köln", "size"}
    for params in ({}, {"hash_bits": 12}):
        other = LogisticRegression(**params).fit(read_arff(sparse, target="class"))
        assert other.labels == ["yes", "no"]
        assert len(other.weights) == 3


BAD = {
    "few values": ("1,Bonn,x,2", "line 11: the number of values is wrong"),
    "many values": ("1,Bonn,x,2,yes,no", "line 11: the number of values is wrong"),
    "empty": ("1,,x,2,yes", "line 11: the number of values is wrong"),
    "number": ("x,Bonn,x,2,yes", "line 11: 'x' is not a number"),
    "infinite": ("1e999,Bonn,x,2,yes", "line 11: '1e999' is not finite"),
    "nominal": ("1,Rome,x,2,yes", "line 11: 'Rome' is not among the declared values"),
    "quote": ("1,'Bonn,x,2,yes", "line 11: a quote is never closed"),
    "target": ("1,Bonn,x,2,?", 'line 11, column "class": the target is missing'),
    "UTF-8": (b"1,Bonn,\xff,2,yes", "line 11: the text is not valid UTF-8"),
    "weight": ("1,Bonn,x,2,yes,{5}", "line 11: the number of values is wrong"),
    "sparse": ("{0 1}", "line 11: "),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_lines(write, tmp_path, case: str) -> None:
    text, message = BAD[case]
    raw = text if isinstance(text, bytes) else text.encode()
    path = write(HEADER.encode() + b"1,Bonn,x,2,yes\n" + raw + b"\n3,Bonn,y,2,no\n")
    with pytest.raises(ValueError, match=message):
        list(read_arff(path, target="class"))
    rows = iter(read_arff(path, target="class"))
    assert next(rows)[1] == "yes"
    stream = read_arff(path, target="class", on_error=tmp_path / "bad.txt")
    assert [x["age"] for x, _ in stream] == [1.0, 3.0]
    assert stream.rejected == 1
    assert (tmp_path / "bad.txt").read_bytes() == stream.messages[0].encode() + b"\t" + raw + b"\n"


BAD_SPARSE = {
    "index": ("{7 1}", "is not a feature's number"),
    "no index": ("{x 1}", "is not a feature's number"),
    "open": ("{0 1", "the number of values is wrong"),
    "dense": ("1,Bonn,x,2,yes", "the number of values is wrong"),
    "value": ("{0 x}", "'x' is not a number"),
    "no value": ("{0 }", "the number of values is wrong"),
    "nominal": ("{1 Rome}", "'Rome' is not among the declared values"),
    "target": ("{4 ?}", "is not a number"),
    "more": ("{0 1} x", "the number of values is wrong"),
}


@pytest.mark.parametrize("case", BAD_SPARSE)
def test_bad_sparse_lines(write, case: str) -> None:
    text, message = BAD_SPARSE[case]
    path = write(HEADER + "{0 1}\n" + text + "\n{0 3, 4 no}\n")
    with pytest.raises(ValueError, match=f"line 11: .*{message}"):
        list(read_arff(path, target="class"))
    stream = read_arff(path, target="class", on_error="skip")
    assert [y for _, y in stream] == ["yes", "no"]
    assert stream.rejected == 1


@pytest.mark.parametrize(
    ("header", "message"),
    [
        ("@relation r\n@attribute a numeric\n", "there is no @data line"),
        ("", "there is no @data line"),
        ("@data\n1\n", "line 1: there is no @attribute before @data"),
        ("@attribute a complex\n@data\n1\n", "line 1: attribute \"a\": the type 'complex'"),
        ("@attribute a {x, y\n@data\nx\n", 'attribute "a": the values need a closing brace'),
        ("@attribute\n@data\n1\n", "line 1: '@attribute' declares no attribute"),
        ("hello\n", "line 1: 'hello' is no line of an ARFF header"),
        ("@attribute a {'x}\n@data\nx\n", "the list of values is broken"),
        ("@attribute a real\n@attribute a real\n@data\n1,2\n", "two columns called"),
    ],
)
def test_bad_headers(write, header: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        list(read_arff(write(header)))


@pytest.mark.parametrize("chunk", [1, 7, 64, 1000])
def test_any_size_of_blocks(write, monkeypatch, chunk: int) -> None:
    path = write(HEADER + "".join(f"{i},Bonn,t{i},{i / 2},yes\n" for i in range(60)))
    rows = list(read_arff(path, target="class"))
    monkeypatch.setattr(files.line_blocks, "__defaults__", (chunk,))
    assert list(read_arff(path, target="class")) == rows
    assert [x["age"] for x, _ in rows] == list(range(60))


def test_several_files(write) -> None:
    one = write(HEADER + "1,Bonn,x,2,yes\n", "a.arff")
    two = write(HEADER + "2,Bonn,x,2,no\n", "b.arff")
    assert [y for _, y in read_arff([one, two], target="class")] == ["yes", "no"]
    three = write(HEADER.replace("age", "years") + "2,Bonn,x,2,no\n", "c.arff")
    told = 'its attributes differ .*a.arff: "age" is missing here, "years" is only here'
    with pytest.raises(ValueError, match=told):
        list(read_arff([one, three], target="class"))
    four = write(HEADER.replace("yes", "perhaps") + "2,Bonn,x,2,no\n", "d.arff")
    with pytest.raises(ValueError, match='"class" stand elsewhere or have other values'):
        list(read_arff([one, four], target="class"))


def test_a_sparse_target_may_be_a_string(write) -> None:
    header = "@relation r\n@attribute a numeric\n@attribute t string\n@attribute y string\n@data\n"
    lines = "{0 1, 2 'spam, or \\'ham\\''}\n{1 word, 2 ham}\n{0 3}\n{0 4, 2 ham}\n"
    path = write(header + lines, "s.arff")
    stream = read_arff(path, target="y", on_error="skip")
    assert list(stream) == [
        ({"a": 1.0}, "spam, or 'ham'"),
        ({"t=word": 1.0}, "ham"),
        ({"a": 4.0}, "ham"),
    ]
    assert stream.rejected == 1
    with pytest.raises(ValueError, match="line 8: there is no label"):
        list(read_arff(path, target="y"))


def test_many_blanks_among_the_values(write) -> None:
    """They took time as the third power of their number."""
    blanks = "\t " * 5000
    head = "@relation r\n@attribute a {x," + blanks + "y z" + blanks + ",'z'" + blanks
    rows = list(read_arff(write(head + "}\n@attribute y numeric\n@data\ny z,1\n"), target="y"))
    assert rows == [({"a": "y z"}, 1.0)]
    with pytest.raises(ValueError, match=r"line 2: .* the list of values is broken"):
        list(read_arff(write(head + "'}\n@data\n1\n")))


ESCAPES = {
    r"a\tb\n\u00e9": "a\tb\né",
    r"\r\b\f\a\v": "\r\b\f\a\v",
    r"\\t \' \" \%": "\\t ' \" %",
    r"\\\t": "\\\t",
    r"\u001E\u001e\uD83D\ude00\u20ac": "\x1e\x1e\U0001f600€",
    r"\101\0\40\377\777\0070\9": "A\0 ÿ?7\x0709",
    r"\ud83d \ude00 \ud83d\u0041 \u12": "ud83d ude00 ud83dA u12",  # no characters
    "Köln\\u0021": "Köln!",
    r"C:\dir": "C:dir",
    r"\u": "u",
}


@pytest.mark.parametrize("escaped", ESCAPES)
@pytest.mark.parametrize("quote", ["'", '"'])
def test_escapes_mean_what_weka_and_liac_arff_write(write, escaped: str, quote: str) -> None:
    quoted, plain = f"{quote}{escaped}{quote}", ESCAPES[escaped]
    head = f"@relation r\n@attribute {quoted} numeric\n@attribute n {{x, {quoted}}}\n"
    head += "@attribute t string\n@attribute k {p,q}\n@data\n"
    dense = read_arff(write(head + f"1,{quoted},{quoted},p\n"), target="k")
    assert list(dense) == [({plain: 1.0, "n": plain, "t": plain}, "p")]
    sparse = read_arff(write(head + f"{{0 1, 1 {quoted}, 2 {quoted}}}\n"), target="k")
    assert list(sparse) == [({plain: 1.0, f"n={plain}": 1.0, f"t={plain}": 1.0}, "p")]
    words = read_arff(write(head + f"{{2 {quoted}}}\n"), target="t")
    assert [y for _, y in words] == [plain]


def test_without_quotes_a_backslash_is_one(write) -> None:
    head = (
        "@relation r\n@attribute t string\n@attribute n {C:\\temp, x}\n@attribute k {p,q}\n@data\n"
    )
    row = {"t": r"C:\temp", "n": r"C:\temp"}
    assert list(read_arff(write(head + "C:\\temp,C:\\temp,p\n"), target="k")) == [(row, "p")]
    sparse = read_arff(write(head + "{0 C:\\temp}\n"), target="k")
    assert list(sparse) == [({r"t=C:\temp": 1.0}, "p")]
    words = read_arff(write(head + "{0 C:\\temp}\n"), target="t")
    assert [y for _, y in words] == [r"C:\temp"]
