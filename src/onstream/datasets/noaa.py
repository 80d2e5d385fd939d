"""Fifty years of daily weather, and whether it rained."""

from importlib.resources import files

import numpy as np

from .dataset import Dataset

FEATURES = (
    "temperature",  # daily mean, degrees Fahrenheit
    "dew_point",  # daily mean, degrees Fahrenheit
    "sea_level_pressure",  # daily mean, millibar
    "visibility",  # daily mean, miles
    "wind_speed",  # daily mean, knots
    "max_wind_speed",  # highest sustained, knots
    "max_temperature",  # degrees Fahrenheit
    "min_temperature",  # degrees Fahrenheit
)
TARGET = "rain"


def noaa_weather() -> Dataset:
    """Daily weather at Bellevue, Nebraska, 1949-1999 (NOAA; Elwell & Polikar 2011).

    18,159 days in time order: do not shuffle. Eight measurements say whether the same day had
    rain (1, on 5,698 days) or not (0). Seasons recur in it.

    The values are those of the source, untouched. Missing ones were filled there with the mean of
    the neighbouring days, and two pressures (5503.8 and 5503.1 mbar) are plainly misread.

    Returns
    -------
    Dataset
        The pair `(X, y)`: `X` float64 of shape (18159, 8), `y` int64 of shape (18159,). Its
        `names` are those of the columns: temperature, dew_point, sea_level_pressure, visibility,
        wind_speed, max_wind_speed, max_temperature, min_temperature (degrees Fahrenheit,
        millibar, miles, knots).

    Notes
    -----
    Source: `weather.csv` of scikit-multiflow 0.4.1 (PyPI, BSD-3-Clause), which took it from
    R. Elwell and R. Polikar, "Incremental learning of concept drift in nonstationary
    environments", IEEE Trans. Neural Networks 22(10), 2011; measurements by NOAA, Global Surface
    Summary of the Day. The column names are those of that paper's data; the csv has none.

    Examples
    --------
    >>> X, y = noaa_weather()
    >>> X.shape, int(y.sum())
    ((18159, 8), 5698)
    >>> noaa_weather().names[:3]
    ('temperature', 'dew_point', 'sea_level_pressure')
    """
    # Integer hundredths: exact, and smaller than the doubles.
    with (files(__package__) / "noaa_weather.npz").open("rb") as file, np.load(file) as columns:
        X = np.column_stack([columns[name] for name in FEATURES]) / 100.0
        y = columns[TARGET].astype(np.int64)
    return Dataset(X, y, FEATURES, TARGET)
