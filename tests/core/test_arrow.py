"""Arrow columns as NumPy arrays, without pandas."""

import subprocess
import sys

import numpy as np
import pyarrow as pa
import pytest

from onstream.core.arrow import LAYOUTS, as_array

KINDS = [getattr(pa, name)() for name in ("float16", "float32", "float64", "bool_")]
KINDS += [getattr(pa, f"{sign}int{bits}")() for sign in ("", "u") for bits in (8, 16, 32, 64)]


def columns():
    for kind in KINDS:
        dtype = np.dtype(LAYOUTS[str(kind)])
        yield pa.array((np.arange(40) * 7 % 11 > 4).astype(dtype), kind)
    yield pa.array([f"t{i % 5}" for i in range(40)])
    yield pa.array([f"t{i % 5}" for i in range(40)], pa.large_string())
    yield pa.array([1, None] * 20)
    yield pa.array(["a", None] * 20)
    yield pa.array([True, None] * 20)
    yield pa.array(["a", "b"] * 20).dictionary_encode()
    yield pa.array(range(40), pa.decimal128(5, 2))


@pytest.mark.parametrize("column", list(columns()), ids=lambda column: str(column.type))
def test_as_to_numpy(column):
    for start, stop in ((0, 40), (0, 0), (3, 5), (8, 33), (15, 40), (39, 40)):
        part = column[start:stop]
        for given in (part, pa.chunked_array([part]), pa.chunked_array([part, column[1:], part])):
            found, wanted = as_array(given), given.to_numpy(zero_copy_only=False)
            assert found.dtype == wanted.dtype
            np.testing.assert_array_equal(found, wanted)
    assert len(as_array(pa.chunked_array([], column.type))) == 0


def test_a_file_is_learned_without_pandas(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text(
        "a,b,c,y\n" + "".join(f"{i},x{i % 3},{i / 7},{'pn'[i % 2]}\n" for i in range(200))
    )
    program = f"""if True:
        import sys
        from onstream import LogisticRegression
        from onstream.evaluate import prequential
        from onstream.streams import read_csv
        from onstream.tree import HoeffdingTreeClassifier

        for model in (LogisticRegression(), HoeffdingTreeClassifier()):
            prequential(model, read_csv({str(path)!r}, target="y"))
            assert model.seen == 200
        assert "pandas" not in sys.modules
    """
    subprocess.run([sys.executable, "-c", program], check=True)
