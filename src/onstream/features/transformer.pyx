"""Transformers: examples in, examples out. What the user sees of them, and the model behind it."""

from cpython.exc cimport PyErr_CheckSignals

import numpy as np

from ..core.arrays cimport doubles
from ..base._learner cimport model_of
from ..core.encoder cimport Encoder, RowBuffer
from ..core.example cimport Example
from ..core.feature_index cimport KNOWN
from ..core.memory cimport release
from ..core.batch cimport BatchModel
from ..core.sources cimport Source
from ..core.task cimport NOTHING, Output, Task
from ..core.transformer cimport Pool, TransformerState, collect

from ..base.learner import Learner
from ..base.union import union_of_features
from ..core.rows import make_source


cdef enum:
    WIDEST = 65_536  # columns of an array of transformed rows; beyond, rows are dicts


cdef class TransformerModel(BatchModel):
    """A model that makes examples out of examples."""

    cdef object allocate_outputs(self, Output output, Py_ssize_t rows, Py_ssize_t newcomers, Task* task):
        task.output, task.numeric, task.picks, task.columns = NOTHING, NULL, NULL, 0
        return None

    def makes(self):
        """Do features come out that did not go in?"""
        return any(step.makes() for step in [*self.steps(), self.state])

    cdef object transform_one(self, object x):
        """The features that become of x, as a dict."""
        cdef Encoder encoder
        cdef TransformerState last
        cdef RowBuffer* row
        cdef Example e
        cdef Pool pool
        cdef Py_ssize_t i
        pool.values = NULL
        while True:
            self.lock.wait_readable()
            encoder, last = self.encoder, self.state
            self.reserve(encoder.width)
            row = encoder.acquire_row(16, 0)
            try:
                if encoder.read(x, KNOWN, row, &e) == 0:
                    e.weight, e.label, e.y = 1.0, -1, 0.0
                    collect(self.front, last, &e, &pool)
                    made = {last.name_out(pool.ids[i]): pool.values[i] for i in range(pool.n)}
                    if e.n == 0:
                        encoder.doubt_example(x, last.seen)
                    else:
                        encoder.misses = 0
                    return made
            finally:
                encoder.release_row(row)
                release(pool.values)
                pool.values = NULL
            x = encoder.coerce(x)

    def transform_many(self, X):
        """An array for an array whose columns are all there is, else a list of dicts."""
        cdef Source source
        cdef TransformerState last
        cdef Encoder known
        cdef Example e
        cdef Pool pool
        cdef Py_ssize_t i, j, at = 0, stop, width
        cdef double* out = NULL
        pool.values = NULL
        self.lock.acquire_read()
        try:
            last = self.state
            self.reserve(self.encoder.width)
            source = make_source(self.encoder, X, False, None)
            if source.blank:
                self.encoder.doubt_rows(X, last.seen)
            else:
                self.encoder.misses = 0
            known = last.last_features()
            width = known.width
            rows = []
            if source.array_columns >= 0 and width <= WIDEST and (known.bits >= 0 or not known.names):
                if not self.makes():
                    width = max(width, source.array_columns)
                rows = np.zeros((source.rows, width))
                out = doubles(rows)
            while at < source.rows:
                PyErr_CheckSignals()
                stop = min(at + source.chunk, source.rows)
                source.check(at, stop)
                source.load(at, stop)
                for i in range(at, stop):
                    e.codes = NULL
                    source.row(i, &e)
                    e.weight, e.label, e.y = 1.0, -1, 0.0
                    collect(self.front, last, &e, &pool)
                    if out != NULL:
                        for j in range(pool.n):
                            out[i * width + pool.ids[j]] = pool.values[j]
                    else:
                        rows.append({last.name_out(pool.ids[j]): pool.values[j] for j in range(pool.n)})
                at = stop
            return rows
        finally:
            release(pool.values)
            self.lock.release_read()


class Transformer(Learner):
    """What all transformers share."""

    _model_class = TransformerModel
    _of_model = ()

    def learn_one(self, x, w=1.0):
        """Take note of the example `x`, with importance `w`."""
        model_of(self).learn_one(x, None, w)

    def transform_one(self, x):
        """What becomes of `x`, as a dict; features never learned are left out. Changes nothing."""
        return (<TransformerModel> model_of(self)).transform_one(x)

    def learn_many(self, X, w=None):
        """Take note of every row: the same, bit for bit, as a loop of `learn_one`."""
        self._model.learn_many(X, None, w)

    def transform_many(self, X):
        """What becomes of every row: an array for an array without names, else a list of dicts."""
        return self._model.transform_many(X)

    def fit(self, X, *, w=None, epochs=1):
        """Take note of all rows of a block, with importance `w`. Returns the transformer itself."""
        for _ in range(epochs):
            self.learn_many(X, w)
        return self

    def __or__(self, other):
        from .pipeline import Pipeline

        if not isinstance(other, Learner):
            return NotImplemented
        return Pipeline(*members(self), *members(other))

    def __add__(self, other):
        from .pipeline import Union

        if not isinstance(other, Transformer):
            return NotImplemented
        mine = self.parts if isinstance(self, Union) else [self]
        theirs = other.parts if isinstance(other, Union) else [other]
        return Union(*mine, *theirs)


class NamesOnly(Transformer):
    """A transformer that remembers the names of features, and nothing else."""

    merge_kind = "exact"

    def _merged(self, mine, theirs):
        union, _ = union_of_features(mine, theirs)
        counts = {name: mine[name] + theirs[name] for name in ("seen", "start")}
        return {**mine, **union, **counts}

    def _merged_step(self, mine, theirs, union, places):
        """The same where it is a step of a pipeline, which keeps the names."""
        return {"seen": mine["seen"] + theirs["seen"]}


def members(learner):
    """A pipeline's steps, or the learner alone."""
    from .pipeline import Pipeline

    return learner.steps if isinstance(learner, Pipeline) else [learner]
