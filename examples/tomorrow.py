"""Predict tomorrow's temperature day by day; stop in the middle, save, load, go on.

python examples/tomorrow.py
"""

from pathlib import Path
from tempfile import TemporaryDirectory

import onstream
from onstream.datasets import noaa_weather
from onstream.linear import RLS

data = noaa_weather()
days = [dict(zip(data.names, row, strict=True)) for row in data.X.tolist()]


def live(model, first, last):
    """Predict the day after each day, then learn what it really was; the mean error."""
    error = 0.0
    for today, tomorrow in zip(days[first:last], days[first + 1 : last + 1], strict=True):
        error += abs(model.predict_one(today) - tomorrow["temperature"])
        model.learn_one(today, tomorrow["temperature"])
    return error / (last - first)


model = RLS()
print(f"first 10,000 days: off by {live(model, 0, 10_000):.2f} °F on average")

with TemporaryDirectory() as folder:
    path = Path(folder) / "weather.onstream"
    onstream.save(model, path)
    print(f"saved: {path.stat().st_size:,} bytes")
    model = onstream.load(path)

print(f"the other {len(days) - 10_001:,} days: off by {live(model, 10_000, len(days) - 1):.2f} °F")
