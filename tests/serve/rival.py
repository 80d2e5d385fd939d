"""FastAPI with a River model behind the same endpoints, for the comparison of `torture load`.

What a careful user would write in an afternoon: the same shapes, a token, uvloop and httptools, and
no log: what it has learned is gone with the process. `python -m tests.serve.rival PORT`.
"""

import hmac
import sys
from typing import Any

import uvicorn
from fastapi import FastAPI, Header, HTTPException
from pydantic import BaseModel
from river.linear_model import PAClassifier

from .running import TOKEN

app = FastAPI()
model = PAClassifier(C=1.0, mode=1)
seen = 0


class Example(BaseModel):
    x: dict[str, float]
    y: int | None = None


class Examples(BaseModel):
    examples: list[Example]


def check(authorization: str) -> None:
    if not hmac.compare_digest(authorization.encode(), f"Bearer {TOKEN}".encode()):
        raise HTTPException(401)


@app.post("/v1/models/m/predict")
async def predict(given: Examples, authorization: str = Header("")) -> dict[str, Any]:
    check(authorization)
    return {"predictions": [model.predict_one(one.x) for one in given.examples], "version": seen}


@app.post("/v1/models/m/learn")
async def learn(given: Examples, authorization: str = Header("")) -> dict[str, Any]:
    global seen
    check(authorization)
    for one in given.examples:
        model.learn_one(one.x, one.y)
    seen += len(given.examples)
    return {"first_seq": seen - len(given.examples) + 1, "last_seq": seen}


if __name__ == "__main__":
    uvicorn.run(app, port=int(sys.argv[1]), log_level="warning", loop="uvloop", http="httptools")
