"""Threads on one model: some teach, others ask, look, save, merge or fork, one spoils what comes.

Nobody hangs, nobody raises anything but a refusal of what was spoilt, no lesson is lost, and the
model can be saved, loaded and used in the end.
"""

import os
import pickle
import signal
import sys
import threading
import traceback
import warnings
from collections.abc import Callable
from functools import partial
from random import Random
from typing import Any

import numpy as np
import scipy.sparse as sp
from tests.contract.table import Case, cases
from tests.contract.tools import KINDS, assert_finite, by_name, fingerprint, reloaded, streams

from onstream.base import DataWarning
from onstream.features import StandardScaler

FEW = 3
PATIENCE = 60.0
CASES = [case for case in cases() if not case.line.given]
ROUNDS = 15  # of each thread
# The allocator of ASan keeps its locks over a fork, whoever held them: a child may wait for ever.
FORKS = hasattr(os, "fork") and os.environ.get("ONSTREAM_SANITIZE") != "asan"


class Crowd:
    """A model, and what its threads do to it."""

    def __init__(self, random: Random, case: Case, model: Any) -> None:
        self.random, self.case, self.model = random, case, model
        self.X, self.y = streams(case, 120)[random.randrange(len(streams(case, 1)))]
        self.rows = by_name(self.X)
        self.taught: list[int] = []
        self.part: Any = None
        merges = model.merge_kind is not None and case.params.get("forgetting", 1.0) == 1.0
        if merges and type(model) is case.cls:
            self.part = case.make()
            self.part.learn_many(self.X[:20], self.y[:20])

    def one(self) -> None:
        for i in range(len(self.X)):
            self.model.learn_one(self.X[i] if i % 2 else self.rows[i], self.y[i])
            self.taught.append(1)

    def many(self) -> None:
        for i in range(ROUNDS):
            rows = slice(5 * i, 5 * i + 30)
            kind = ("dicts", "dense", "CSR", "strided", "arrow")[i % 5]
            self.model.learn_many(KINDS[kind](self.X[rows]), self.y[rows])
            self.taught.append(len(self.X[rows]))

    def ask(self) -> None:
        for i in range(ROUNDS):
            self.model.predict_one(self.rows[i])
            self.model.predict_many(self.X[i:])
            assert np.isfinite(self.model.score_many(self.rows[i : i + 5])).all()

    def look(self) -> None:
        names = [n for n in dir(type(self.model)) if not n.startswith("_")]
        for _ in range(ROUNDS):
            for name in names:
                if isinstance(getattr(type(self.model), name, None), property):
                    getattr(self.model, name, None)  # probabilities are not always there

    def save(self) -> None:
        for _ in range(ROUNDS):
            assert np.isfinite(reloaded(self.model).score_many(self.X[:3])).all()
            pickle.dumps(self.model)

    def merge(self) -> None:
        for _ in range(ROUNDS if self.part is not None else 0):
            self.model.merge(self.part)
            self.taught.append(20)

    def fork(self) -> None:
        for _ in range(3 if FORKS else 0):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", DeprecationWarning)
                child = os.fork()
            if child == 0:
                status = 1
                try:
                    signal.alarm(int(PATIENCE))
                    self.model.learn_many(self.X[:5], self.y[:5])
                    self.model.learn_one(self.rows[0], self.y[0])
                    self.model.predict_many(self.rows)
                    reloaded(self.model)
                    status = 0
                except BaseException:
                    traceback.print_exc()
                finally:
                    os._exit(status)
            assert os.waitpid(child, 0)[1] == 0, "the child failed"

    def spoiling(self) -> list[Callable[[], None]]:
        """One teaches what the other spoils meanwhile, without the GIL."""
        done = threading.Event()
        X = np.tile(self.X, (20, 1))
        y = np.tile(self.y, 20)
        good = X.copy()
        csr = sp.csr_array(X)
        indices, data = csr.indices.copy(), csr.data.copy()

        def spoil() -> None:
            while not done.is_set():
                X[::7] = np.nan
                csr.indices[:] = 2**31 - 1
                csr.data[::5] = np.inf
                X[:] = good
                csr.indices[:], csr.data[:] = indices, data

        def learn() -> None:
            try:
                for block in (X, csr):
                    try:
                        self.model.learn_many(block, y)
                        self.taught.append(len(y))
                    except ValueError:
                        self.taught.append(-1)  # refused: nobody knows from which row on
            finally:
                done.set()

        return [spoil, learn]


def attempt(random: Random) -> None:
    """One crowd around one model."""
    case = random.choice(CASES)
    model = case.make()
    ends = (case.classifies or case.regresses) and not case.hashed and not case.functions
    if ends and random.random() < 0.2:
        model = StandardScaler() | case.make()
    crowd = Crowd(random, case, model)
    kinds = [crowd.one, crowd.many, crowd.ask, crowd.look, crowd.save, crowd.merge, crowd.fork]
    jobs = [crowd.one, crowd.many, *(random.choice(kinds) for _ in range(4))]
    spoilt = random.random() < 0.3
    if spoilt:
        jobs += crowd.spoiling()
    before = sys.getswitchinterval()
    sys.setswitchinterval(random.choice([1e-6, 1e-4, 5e-3]))
    errors: list[BaseException] = []

    def run(job: Callable[[], None]) -> None:
        try:
            job()
        except BaseException as error:
            errors.append(error)

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DataWarning)
            threads = [threading.Thread(target=partial(run, job), daemon=True) for job in jobs]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join(PATIENCE)
                assert not thread.is_alive(), f"{model!r}: a thread hangs"
    finally:
        sys.setswitchinterval(before)
    for error in errors:
        error.add_note(f"{model!r}, {[job.__name__ for job in jobs]}")
        raise error
    if -1 not in crowd.taught:
        assert model.seen == sum(crowd.taught), repr(model)
    assert_finite(model)
    assert fingerprint(reloaded(model)) == fingerprint(model)
