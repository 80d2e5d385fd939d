import copy
import doctest
import pickle

import numpy as np

from onstream.datasets import Dataset, noaa, noaa_weather


def test_is_a_pair():
    X, y = noaa_weather()
    assert X.shape == (18_159, 8)
    assert X.dtype == np.float64
    assert X.flags.c_contiguous
    assert y.shape == (18_159,)
    assert y.dtype == np.int64


def test_values():
    X, y = noaa_weather()
    assert np.isfinite(X).all()
    assert np.bincount(y).tolist() == [12_461, 5_698]
    # The first and the last day, as the csv of the source writes them.
    assert X[0].tolist() == [19.8, 14.0, 1019.6, 8.4, 9.9, 15.9, 28.9, 14.0]
    assert y[:4].tolist() == [0, 0, 1, 1]
    assert X[3595:3597, 2].tolist() == [5503.8, 5503.1]  # misread there, left as found


def test_names_match_the_columns():
    data = noaa_weather()
    assert len(data.names) == data.X.shape[1]
    assert data.target == "rain"
    column = {name: data.X[:, j] for j, name in enumerate(data.names)}
    colder_than_mean = column["min_temperature"] <= column["temperature"]
    warmer_than_mean = column["max_temperature"] >= column["temperature"]
    assert colder_than_mean.mean() > 0.999
    assert warmer_than_mean.mean() > 0.999
    assert (column["max_wind_speed"] >= column["wind_speed"]).mean() > 0.999
    assert (column["dew_point"] <= column["temperature"]).all()


def test_each_call_gives_fresh_arrays():
    noaa_weather().X[:] = 0.0
    assert noaa_weather().X.any()


def test_copies_keep_everything():
    small = Dataset(np.eye(2), np.array([0, 1]), ("a", "b"), "c")
    for twin in (copy.copy(small), copy.deepcopy(small), pickle.loads(pickle.dumps(small))):
        assert type(twin) is Dataset
        assert twin.names == ("a", "b")
        assert twin.target == "c"
        assert np.array_equal(twin.X, small.X)
        assert np.array_equal(twin.y, small.y)


def test_repr_is_short():
    assert repr(noaa_weather()) == "<Dataset of 18,159 rows: rain from 8 features>"


def test_docstring_examples():
    assert doctest.testmod(noaa).failed == 0
