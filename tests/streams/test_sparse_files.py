"""libsvm and VW text."""

import bz2
import locale
import pickle
import random
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from onstream import LinearRegression, LogisticRegression, PAClassifier
from onstream.base.blocks import examples
from onstream.core.sparse import SparseBlock
from onstream.streams import files, read_libsvm, read_vw
from onstream.streams._libsvm_text import LibsvmText
from onstream.streams._sparse_text import name_hash
from onstream.streams._vw_text import VWText


def parsed(parser, text: bytes):
    return parser.parse(bytearray(text), len(text), False)


BAD_LIBSVM = {
    "label": ("x 1:1", "line 2: 'x' is not a label"),
    "several labels": ("1,2 1:1", "line 2: '1,2' is not a label"),
    "index": ("1 a:1", "line 2: 'a:1' is not a feature's number"),
    "negative index": ("1 -3:1", "line 2: '-3:1' is not a feature's number"),
    "huge index": ("1 1234567890123456789:1", "is not a feature's number"),
    "no value": ("1 3:", "line 2: '' is not a number"),
    "no colon": ("1 3", "line 2: '3' is not a feature's number"),
    "bad value": ("1 3:1x", "line 2: '1x' is not a number"),
    "two points": ("1 3:1.2.3", "line 2: '1.2.3' is not a number"),
    "hexadecimal": ("1 3:0x10", "line 2: '0x10' is not a number"),
    "infinite": ("1 3:1e999", "line 2: '1e999' is not finite"),
    "inf": ("1 3:inf", "line 2: 'inf' is not a number"),
    "nan": ("1 3:nan", "line 2: 'nan' is not a number"),
    "infinite label": ("1e400 3:1", "line 2: '1e400' is not finite"),
    "UTF-8": (b"1 3:1 \xff", "line 2: the text is not valid UTF-8"),
    "zero byte": (b"1 3:1\0", "line 2"),
    "underscore": ("1 3:1_0", "line 2"),
    "exponent": ("1 3:1e", "line 2: '1e' is not a number"),
}


class TestLibsvm:
    def test_rows(self, write) -> None:
        path = write("+1 3:0.5 7:1\n-1 1:2e1 # a comment\n\n# nothing\n0 qid:4 007:-.5 8:1.\n-1\n")
        assert list(read_libsvm(path)) == [
            ({3: 0.5, 7: 1.0}, 1),
            ({1: 20.0}, -1),
            ({7: -0.5, 8: 1.0}, 0),
            ({}, -1),
        ]

    def test_labels_are_whole_where_all_are(self, write) -> None:
        assert [y for _, y in read_libsvm(write("1 1:1\n2.5 1:1\n"))] == [1.0, 2.5]
        y = next(read_libsvm(write("1.0 1:1\n2 1:1\n")).batches(10))[1]
        assert y.dtype == np.int64

    def test_indices_are_kept_and_match_arrays(self, write) -> None:
        path = write("1 0:1 2:1\n-1 1:1\n" * 20)
        model = PAClassifier().fit(read_libsvm(path))
        assert set(model.weights) == {0, 1, 2}
        other = PAClassifier()
        other.learn_many(np.array([[1.0, 0, 1], [0, 1.0, 0]] * 20), [1, -1] * 20)
        assert model.weights == pytest.approx(other.weights)

    def test_a_feature_twice_adds_up(self, write) -> None:
        path = write("1 3:1 3:2 03:4\n")
        assert list(read_libsvm(path)) == [({3: 7.0}, 1)]
        model = LinearRegression(eta=0.1, intercept=False).fit(read_libsvm(path))
        assert model.weights == pytest.approx({3: 0.7})

    def test_columns(self, write) -> None:
        path = write("1 1:1 2:2 3:3\n2 3:3\n")
        assert list(read_libsvm(path, only=[1, 3])) == [({1: 1.0, 3: 3.0}, 1), ({3: 3.0}, 2)]
        assert list(read_libsvm(path, drop=3)) == [({1: 1.0, 2: 2.0}, 1), ({}, 2)]
        with pytest.raises(TypeError, match="features are strings or ints"):
            read_libsvm(path, drop=[1.5])

    @pytest.mark.parametrize("case", BAD_LIBSVM)
    def test_bad_lines(self, write, tmp_path, case: str) -> None:
        text, message = BAD_LIBSVM[case]
        raw = text if isinstance(text, bytes) else text.encode()
        path = write(b"1 1:1\n" + raw + b"\n-1 2:1\n")
        with pytest.raises(ValueError, match=message):
            list(read_libsvm(path))
        stream = read_libsvm(path, on_error=tmp_path / "bad.txt")
        assert list(stream) == [({1: 1.0}, 1), ({2: 1.0}, -1)]
        assert stream.rejected == 1
        assert (tmp_path / "bad.txt").read_bytes() == stream.messages[
            0
        ].encode() + b"\t" + raw + b"\n"

    def test_rows_before_an_error_are_given(self, write) -> None:
        rows = iter(read_libsvm(write("1 1:1\n2 2:1\noops\n")))
        assert [next(rows), next(rows)] == [({1: 1.0}, 1), ({2: 1.0}, 2)]
        with pytest.raises(ValueError, match="line 3"):
            next(rows)


BAD_VW = {
    "no bar": ("1 a b", "line 2: there is no | before the features"),
    "label": ("x |a b", "line 2: 'x' is not a label"),
    "weight": ("1 -2 |a b", "line 2: '-2' is not a weight"),
    "weight text": ("1 x |a b", "line 2: 'x' is not a weight"),
    "value": ("1 |a b:x", "line 2: 'x' is not a number"),
    "no value": ("1 |a b:", "line 2: '' is not a number"),
    "no name": ("1 |a :3", "line 2: ':' has no name"),
    "two values": ("1 |a b:1:2", "line 2: '1:2' is not a number"),
    "infinite": ("1 |a b:1e999", "line 2: '1e999' is not finite"),
    "scale": ("1 |a:x b", "line 2: 'x' is not a number"),
    "overflow": ("1 |a:1e300 b:1e300", "is not finite"),
    "UTF-8": (b"1 |a \xc3", "line 2: the text is not valid UTF-8"),
    "costs": ("1:0.5 2:1 |a b", "line 2: '1:0.5' is not a label"),
}


class TestVW:
    def test_rows(self, write) -> None:
        path = write(
            "1 |word free offer:2\n-1 'tag|word meeting |n 4:0.5 x\n0 | bare:.5\n1| a |b\n"
        )
        assert list(read_vw(path)) == [
            ({"word^free": 1.0, "word^offer": 2.0}, 1),
            ({"word^meeting": 1.0, "n^4": 0.5, "n^x": 1.0}, -1),
            ({"bare": 0.5}, 0),
            ({"a": 1.0}, 1),
        ]

    def test_scale_of_a_namespace(self, write) -> None:
        assert list(read_vw(write("1 |n:0.5 a:4 b |m c\n"))) == [
            ({"n^a": 2.0, "n^b": 0.5, "m^c": 1.0}, 1)
        ]

    def test_weights(self, write) -> None:
        path = write("1 2.5 |a b\n-1 |a c\n1 0.5 0.1 'tag|a d\n1 3 tag|a e\n")
        assert [w for _, _, w in read_vw(path)] == [2.5, 1.0, 0.5, 3.0]
        path = write("1 |a b\n-1 |a c\n")
        assert all(len(row) == 2 for row in read_vw(path))
        assert [w for _, _, w in read_vw(path, weights=True)] == [1.0, 1.0]
        model = LogisticRegression().fit(read_vw(write("1 2.5 |a b\n-1 0.5 |a c\n")))
        other = LogisticRegression()
        other.learn_one({"a^b": 1.0}, 1, 2.5)
        other.learn_one({"a^c": 1.0}, -1, 0.5)
        assert model.weights == pytest.approx(other.weights)

    def test_weights_that_come_late(self, write, monkeypatch) -> None:
        monkeypatch.setattr(files.line_blocks, "__defaults__", (8,))
        path = write("1 |a b\n" * 5 + "1 1.0 |a b\n1 2.0 |a b\n")
        with pytest.raises(ValueError, match=r"line 7: '2.0' is the first importance weight"):
            list(read_vw(path))
        assert len(list(read_vw(path, weights=True))) == 7

    def test_unlabelled(self, write) -> None:
        path = write("|a b\n1 |a c\n'tag|a d\n")
        with pytest.raises(ValueError, match="line 1: there is no label"):
            list(read_vw(path))
        assert list(read_vw(path, labelled=False)) == [
            ({"a^b": 1.0}, None),
            ({"a^c": 1.0}, None),
            ({"a^d": 1.0}, None),
        ]

    @pytest.mark.parametrize("case", BAD_VW)
    def test_bad_lines(self, write, tmp_path, case: str) -> None:
        text, message = BAD_VW[case]
        raw = text if isinstance(text, bytes) else text.encode()
        path = write(b"1 |a b\n" + raw + b"\n-1 |a c\n")
        with pytest.raises(ValueError, match=message.replace("|", r"\|")):
            list(read_vw(path))
        stream = read_vw(path, on_error=tmp_path / "bad.txt")
        assert [row[:2] for row in stream] == [({"a^b": 1.0}, 1), ({"a^c": 1.0}, -1)]
        assert stream.rejected == 1
        assert (tmp_path / "bad.txt").read_bytes() == stream.messages[
            0
        ].encode() + b"\t" + raw + b"\n"

    def test_names_of_any_language(self, write) -> None:
        assert list(read_vw(write("1 |wört naïve:2 名\n"))) == [
            ({"wört^naïve": 2.0, "wört^名": 1.0}, 1)
        ]

    def test_a_long_namespace_cannot_fill_the_memory(self) -> None:
        text = b"1 |" + b"n" * 100_000 + b" a" * 100_000 + b"\n1 |b c\n"
        block, y, _, rejects = parsed(VWText(), text)
        assert len(block) == len(y) == 1
        assert rejects[0][2] == "the names are too long"


class TestNumbers:
    """Every number is the nearest double, as Python reads it."""

    @staticmethod
    def read(texts: list[str]) -> list[float]:
        line = "0 " + " ".join(f"{i}:{text}" for i, text in enumerate(texts)) + "\n"
        block, _, _, rejects = parsed(LibsvmText(), line.encode())
        assert rejects == []
        return block.values.tolist()

    @settings(max_examples=300, deadline=None)
    @given(st.floats(allow_nan=False, allow_infinity=False))
    def test_repr(self, value: float) -> None:
        assert self.read([repr(value)]) == [value]

    def test_forms(self) -> None:
        texts = ["1", "+1", "-1", "1.", ".5", "-.5e1", "1e5", "1E+5", "1e-5", "0", "-0.0", "00012"]
        texts += ["123456789012345678901234567890", "0.000000000000000000000000001", "1e22", "1e23"]
        texts += ["9007199254740993", "1.7976931348623157e308", "5e-324", "1e-400", "0e999999999"]
        texts += ["9" * 300, "0." + "3" * 400, "1" + "0" * 25 + "e-25", "12345678901234567890e-10"]
        assert self.read(texts) == [float(text) for text in texts]

    def test_many(self) -> None:
        rng = random.Random(0)
        texts = []
        for _ in range(5000):
            text = str(rng.randrange(10 ** rng.randrange(1, 22)))
            if rng.random() < 0.7:
                text += "." + "".join(rng.choices("0123456789", k=rng.randrange(22)))
            if rng.random() < 0.3:
                text += f"e{rng.randrange(-30, 30)}"
            texts.append(rng.choice(["", "-", "+"]) + text)
        assert self.read(texts) == [float(text) for text in texts]

    def test_other_locale(self) -> None:
        old = locale.setlocale(locale.LC_NUMERIC)
        for name in ("de_DE.UTF-8", "fr_FR.UTF-8", "de_DE"):
            try:
                locale.setlocale(locale.LC_NUMERIC, name)
            except locale.Error:
                continue
            try:
                assert self.read(["0.12345678901234567890"]) == [0.12345678901234567890]
            finally:
                locale.setlocale(locale.LC_NUMERIC, old)


NAME = st.text("abcXYZ019._^é名-", min_size=1, max_size=40)
NUMBER = st.one_of(
    st.integers(-(10**9), 10**9).map(str),
    st.decimals(-9999, 9999, places=4).map(str),
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.from_regex(r"-?[0-9]{0,8}\.[0-9]{1,8}", fullmatch=True),
)
BLANK = st.sampled_from([" ", " ", " ", "\t", "  "])
END = st.sampled_from(["\n", "\n", "\r\n", " \n"])


@st.composite
def vw_line(draw) -> tuple[str, int, list[tuple[str, float]]]:
    """A line, its label and what is in it."""
    label = draw(st.integers(-1, 1))
    line, entries = str(label) + draw(st.sampled_from([" ", " 'tag", " tag", ""])), []
    for _ in range(draw(st.integers(1, 3))):
        space = draw(st.one_of(st.just(""), st.just("f"), NAME, st.text("n", max_size=90)))
        line += "|" + space
        for _ in range(draw(st.integers(0, 6))):
            name, value = draw(NAME), draw(st.one_of(st.none(), NUMBER))
            line += draw(BLANK) + name + ("" if value is None else f":{value}")
            full = f"{space}^{name}" if space else name
            entries.append((full, 1.0 if value is None else float(value)))
        line += draw(st.sampled_from([" ", " ", "", "\t"]))
    return line + draw(END), label, entries


@st.composite
def libsvm_line(draw) -> tuple[str, int, list[tuple[str, float]]]:
    label = draw(st.integers(-1, 1))
    line, entries = str(label), []
    for _ in range(draw(st.integers(0, 6))):
        number, value = draw(st.integers(0, 10**12)), draw(NUMBER)
        line += draw(BLANK) + draw(st.sampled_from(["", "", "0"])) + f"{number}:{value}"
        entries.append((str(number), float(value)))
    return line + draw(st.sampled_from(["", "", " # about it"])) + draw(END), label, entries


class TestQuickWay:
    """The usual and the unusual line, one after the other, come out as they were written."""

    @settings(max_examples=200, deadline=None)
    @given(st.lists(vw_line(), max_size=8), st.booleans())
    def test_vw(self, lines, late: bool) -> None:
        self.check(VWText(), lines, late)

    @settings(max_examples=200, deadline=None)
    @given(st.lists(libsvm_line(), max_size=8), st.booleans())
    def test_libsvm(self, lines, late: bool) -> None:
        self.check(LibsvmText(), lines, late)

    def check(self, parser, lines, late: bool) -> None:
        text = "".join(line for line, _, _ in lines).encode()
        asked: list[int] = []
        later = (lambda: asked.append(1)) if late else None
        block, y, _, rejects = parser.parse(bytearray(text), len(text), False, later)
        assert rejects == []
        assert y.tolist() == [label for _, label, _ in lines]
        entries = [entry for _, _, entries in lines for entry in entries]
        assert block.values.tobytes() == np.array([v for _, v in entries]).tobytes()
        assert block.hashes.tolist() == [name_hash(name.encode()) for name, _ in entries]
        assert np.diff(block.starts).tolist() == [len(entries) for _, _, entries in lines]
        parser.parse(bytearray(b"1 | other\n"), 10, False)
        assert block.names.tobytes().decode() == "".join(name for name, _ in entries)
        assert np.diff(block.name_starts).tolist() == [len(n.encode()) for n, _ in entries]
        assert len(asked) == late

    def test_names_are_made_when_somebody_asks(self, write, monkeypatch) -> None:
        monkeypatch.setattr(files.line_blocks, "__defaults__", (64,))
        stream = read_vw(write("1 |f a:1 b:2\n-1 |f c:1\n" * 300))
        hashed = LogisticRegression(hash_bits=8).fit(stream)
        assert hashed.seen == 600
        assert not stream._naming
        blocks = [block[0] for block in stream.blocks()]
        joined = SparseBlock.joined([block[:1] for block in blocks])
        assert not stream._naming
        assert {len(row) for row in joined.mappings()} == {1, 2}
        assert stream._naming
        assert list(read_vw(stream.files[0], drop="f^c"))[1] == ({}, -1)


class TestBlocks:
    TEXT = "1 |a x:1 y:2 |b x\n-1 |a y:3\n1 | \n-1 |b x:4 z |c w\n" * 30

    def stream(self, write):
        return read_vw(write(self.TEXT))

    @pytest.mark.parametrize("n", [1, 3, 7, 200])
    def test_blocks_are_the_rows(self, write, monkeypatch, n: int) -> None:
        monkeypatch.setattr(files.line_blocks, "__defaults__", (50,))
        stream = self.stream(write)
        rows = [row for block in stream.batches(n) for row in examples(block)]
        assert rows == list(stream)
        assert len(rows) == 120
        assert [row for block in stream.blocks() for row in examples(block)] == rows

    def test_keys_are_shared(self, write) -> None:
        rows = list(self.stream(write))
        assert next(iter(rows[0][0])) is next(iter(rows[4][0]))

    def test_slices_orders_and_joins(self, write) -> None:
        block = self.stream(write).block(120)[0]
        rows = list(block.mappings())
        assert list(block[10:17].mappings()) == rows[10:17]
        assert list(block[10:40:7].mappings()) == rows[10:40:7]
        assert list(block[5:5].mappings()) == []
        order = np.random.default_rng(0).permutation(120)
        assert list(block.take(order).mappings()) == [rows[i] for i in order]
        joined = SparseBlock.joined([block[:50], block[50:50], block[50:]])
        assert list(joined.mappings()) == rows
        assert list(pickle.loads(pickle.dumps(block)).mappings()) == rows

    def test_arrays_that_do_not_fit_are_refused(self) -> None:
        good = ([0, 1], [1.0], [5], [0, 1], [97])
        assert len(SparseBlock(*good)) == 1
        for at, wrong in [(0, [0, 2]), (0, []), (1, [1.0, 2.0]), (2, []), (3, [0, 2]), (4, [])]:
            parts = list(good)
            parts[at] = wrong
            with pytest.raises(ValueError, match="do not fit together"):
                SparseBlock(*parts)

    @pytest.mark.parametrize("params", [{}, {"hash_bits": 10}, {"hash_bits": 3, "hash_seed": 9}])
    @pytest.mark.parametrize("make", [LogisticRegression, PAClassifier])
    def test_learners_take_blocks_as_they_take_dicts(self, write, make, params) -> None:
        block, y = self.stream(write).block(120)
        rows = list(block.mappings())
        one, many, told = make(**params), make(**params), make(**params)
        for x, label in zip(rows, y.tolist(), strict=True):
            one.learn_one(x, label)
        many.learn_many(block, y)
        predicted = told.predict_learn_many(block, y, output="score")
        assert one.weights.keys() == many.weights.keys()
        assert many.weights == pytest.approx(one.weights, rel=1e-9, abs=1e-12)
        assert told.weights == many.weights
        assert np.isfinite(predicted).all()
        assert one.score_many(rows) == pytest.approx(one.score_many(block), rel=1e-9, abs=1e-12)
        assert make(**params).fit(block, y, epochs=2).seen == 240
        assert make(**params).fit(block, y).weights == pytest.approx(
            make(**params).fit(rows, y).weights
        )

    @pytest.mark.parametrize("params", [{}, {"hash_bits": 10}])
    def test_rows_of_weight_0_bring_no_features(self, write, params) -> None:
        block, y = self.stream(write).block(4)
        model = LogisticRegression(**params)
        model.learn_many(block, y, [0.0, 1.0, 0.0, 0.0])
        assert len(model.weights) == 1
        assert model.seen == 1

    @pytest.mark.parametrize("params", [{}, {"hash_bits": 10}])
    def test_a_value_that_is_not_finite_is_refused(self, write, params) -> None:
        block, y = self.stream(write).block(4)
        block.values[3] = np.inf
        model = LogisticRegression(**params)
        with pytest.raises(ValueError, match="row 1: feature 'a\\^y' is inf"):
            model.learn_many(block, y)
        assert model.seen == 0

    def test_the_hash_is_the_doors(self) -> None:
        """A model that learned dicts knows the names of a file."""
        for params in ({"hash_bits": 18, "hash_seed": 3}, {}):
            model = LinearRegression(intercept=False, eta=0.5, **params)
            model.learn_one({"n^fröhlich": 2.0, 17: 1.0}, 1.0)
            block, *_ = parsed(VWText(), "1 |n fröhlich:2 |  17:1\n".encode())
            assert model.predict_many(block)[0] == model.predict_one({"n^fröhlich": 2.0, 17: 1.0})
            assert model.predict_many(block)[0] > 0.5
        assert name_hash(b"17") == parsed(LibsvmText(), b"1 17:1\n")[0].hashes[0]

    def test_shuffled_and_repeated(self, write) -> None:
        path = write(self.TEXT)
        rows = list(read_vw(path))
        mixed = list(read_vw(path, shuffle=40, seed=1))
        assert mixed != rows
        assert sorted(mixed, key=str) == sorted(rows, key=str)
        assert list(read_vw(path, epochs=2, limit=50)) == rows[:50] * 2


@pytest.mark.slow
def test_real_files() -> None:
    path = Path(__file__).parents[3] / "shared" / "data" / "a9a.train.svm.bz2"
    if not path.exists():
        pytest.skip("needs ../shared/data")
    expected = []
    with bz2.open(path, "rt") as lines:
        for line in lines:
            label, *entries = line.split()
            row = {int(i): float(v) for i, v in (e.split(":") for e in entries)}
            expected.append((row, int(label)))
    assert list(read_libsvm(path)) == expected


@pytest.mark.parametrize(("reader", "line"), [(read_libsvm, "1 1:1\n"), (read_vw, "1 | a\n")])
@pytest.mark.parametrize("blank", ["\n", "\r\n", "  \n"])
def test_a_file_may_begin_with_a_blank_line(reader, line, blank, tmp_path):
    file = tmp_path / "file"
    file.write_text(blank + line + blank + line)
    assert len(list(reader(file))) == 2


def test_threads_may_ask_a_block_for_its_names_at_once(tmp_path):
    file = tmp_path / "file.vw"
    file.write_text("".join(f"{i % 2} |a x{i % 50}:1.5 y{i % 7} z\n" for i in range(3_000)))
    expected = [x for x, _ in read_vw(file)]
    for _ in range(10):
        X = next(iter(read_vw(file).blocks()))[0]
        assert callable(X._names)
        parts = [X[:1_500], X[1_500:]] * 3
        with ThreadPoolExecutor(6) as pool:
            told = list(pool.map(lambda part: [x for x, *_ in examples((part, None))], parts))
        assert told[0] + told[1] == told[4] + told[5] == expected


def test_weights_are_those_of_rows_that_are_read(tmp_path):
    file = tmp_path / "file.vw"
    file.write_text("1 5 | a:oops\n" + "1 | b\n")
    assert list(read_vw(file, on_error="skip")) == [({"b": 1.0}, 1)]
    file.write_text("oops | a\n" * 40_000 + "1 2 | b\n1 3 | c\n")
    assert list(read_vw(file, on_error="skip")) == [({"b": 1.0}, 1, 2.0), ({"c": 1.0}, 1, 3.0)]
