"""Train a model of tomorrow's rain and write it for JavaScript: rain.onnx, and rows to ask it.

python train.py
npm install onnxruntime-node --ignore-scripts
node ask.mjs
"""

import json
from pathlib import Path

import onnx

from onstream import HoeffdingTreeClassifier, StandardScaler
from onstream.compat import to_onnx
from onstream.datasets import noaa_weather

X, rain = noaa_weather()
rain = ["rain" if wet else "dry" for wet in rain]
model = StandardScaler() | HoeffdingTreeClassifier(delta=0.01, grace_period=100)
model.learn_many(X[:-1000], rain[:-1000])

onnx.save(to_onnx(model), "rain.onnx")  # or: onstream export rain.onstream rain.onnx
asked = {
    "rows": X[-1000:].tolist(),
    "labels": model.predict_many(X[-1000:]).tolist(),
    "probabilities": model.predict_proba_many(X[-1000:]).tolist(),
}
Path("asked.json").write_text(json.dumps(asked), encoding="utf-8")
right = sum(a == b for a, b in zip(asked["labels"], rain[-1000:], strict=True))
print(f"rain.onnx: {Path('rain.onnx').stat().st_size:,} bytes; {right} of 1000 days right")
