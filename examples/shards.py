"""Learn two halves of the data in two places, then merge: nothing is lost.

python examples/shards.py
"""

import numpy as np

from onstream.datasets import noaa_weather
from onstream.linear import RLS

X, _ = noaa_weather()
today, tomorrow = X[:-1], X[1:, 0]

here, there, alone = RLS(), RLS(), RLS()
here.learn_many(today[:9_000], tomorrow[:9_000])
there.learn_many(today[9_000:], tomorrow[9_000:])
alone.learn_many(today, tomorrow)

here.merge(there)
gap = np.abs(here.predict_many(today) - alone.predict_many(today)).max()
print(f"{here.seen:,} days learned in two places, {alone.seen:,} in one")
print(f"largest difference between their predictions: {gap:.0e} °F")
