"""The model of a transformer, and its verbs for one example, compiled."""

from cpython.exc cimport PyErr_CheckSignals

import numpy as np

from ..core.arrays cimport doubles
from ..base._learner cimport LearnerBase, model_of
from ..core.encoder cimport Encoder, RowBuffer
from ..core.example cimport LEARNED, Example
from ..core.feature_index cimport KNOWN
from ..core.memory cimport release, roomier
from ..core.batch cimport BatchModel
from ..core.sources cimport Source
from ..core.task cimport NOTHING, Output, Task
from ..core.transformer cimport Pool, TransformerState, collect, fill_pool

from ..core.rows import make_source


cdef enum:
    WIDEST = 65_536  # columns of an array of transformed rows; beyond, rows are dicts


cdef class TransformerModel(BatchModel):
    """A model that makes examples out of examples."""

    cdef object allocate_outputs(self, Output output, Py_ssize_t rows, Py_ssize_t new_labels, Task* task):
        task.output, task.numeric, task.picks, task.columns = NOTHING, NULL, NULL, 0
        return None

    def makes(self):
        """Do features come out that did not go in?"""
        return any(step.makes() for step in [*self.steps(), self.state])

    cdef object transform_one(self, object x):
        """The transformed example, as a dict."""
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
        """An array, if X is an array and all features are its columns; otherwise a list of dicts."""
        cdef Source source
        cdef TransformerState last
        cdef Encoder known
        cdef Example e
        cdef Pool pool
        cdef Py_ssize_t i, j, at = 0, stop, width, room = 0
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
                    if out != NULL and self.front is None:
                        if last.most(e.n) > room or room == 0:
                            release(pool.values)
                            room = roomier(room, last.most(e.n))
                            fill_pool(&pool, room)
                        write_row(last, &e, out + i * width, &pool)
                        continue
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


cdef int write_row(TransformerState step, const Example* e, double* out, Pool* pool) except -1:
    """Write an example, transformed in this memory, into zeros; a missing value stays 0."""
    cdef Example made = e[0]
    cdef Py_ssize_t j
    if pool.values == NULL or step.transform(e, &made, pool) != LEARNED:
        raise MemoryError(f"{step.who}: no memory to transform an example.")
    if made.ids == NULL:
        for j in range(made.n):
            out[j] = made.values[j] if made.values[j] == made.values[j] else 0.0
    else:
        for j in range(made.n):
            if made.values[j] == made.values[j]:
                out[made.ids[j]] = made.values[j]
    return 0


cdef class TransformerVerbs(LearnerBase):
    def learn_one(self, x, w=1.0):
        """Take note of the example `x`, with importance `w`."""
        (<TransformerModel?> model_of(self)).learn_one(x, None, w)

    def transform_one(self, x):
        """The transformed example, as a dict; features never learned are left out. Changes nothing."""
        return (<TransformerModel?> model_of(self)).transform_one(x)
