"""Naive Bayes over columns of two kinds: normal distributions for numbers, counts for names."""

from libc.math cimport log
from libc.stdint cimport int32_t
from libc.string cimport memcpy

import numpy as np

from ..core.arrays cimport doubles, fill, matrix
from ..core.encoder cimport Encoder
from ..core.example cimport LEARNED, NUMBER, OVERFLOW, SAFE, Example, feature
from ..core.memory cimport release, resize, roomier
from ._state cimport LOG_ZERO, NaiveBayesState, contains, subtract

cdef extern from "moments.h" nogil:
    void onstream_welford(double* n, double* mean, double* m2, double* var, const double* x,
                          double w, Py_ssize_t d)
    double onstream_normal(const double* x, const double* mean, const double* var, const double* n,
                           double e, double share, const double* all, double least, Py_ssize_t d,
                           double* logs, double* spread)
    double onstream_product(const double* p)
    double onstream_total(const double* s)

cdef double LOG_TWO_PI = log(2.0 * 3.141592653589793238462643)


cdef inline bint is_nominal(const Example* e, Py_ssize_t i) noexcept nogil:
    return e.codes != NULL and e.codes[i] != NUMBER


cdef struct Table:
    Py_ssize_t room    # values that fit; 0: the feature is a number
    double declared    # how many values there are, at least
    double distinct    # values seen
    double* totals     # weight of each value, all labels together
    double* counts     # room x room_labels: weight of each value with each label


cdef struct Moments:
    double* n          # weight of the examples that have the feature
    double* mean
    double* m2         # sum of squared distances from the mean
    double* var        # m2 / n


cdef class MixedState(NaiveBayesState):
    cdef double floor        # share of a feature's own variance that is added to that of each label
    cdef double smoothing    # share of the largest variance: added to each where floor is 0
    cdef object categorical  # features whose numbers are nominal, too: a set of names, or True
    cdef dict declared       # feature -> how many values; or None
    cdef Encoder encoder     # where new values come in
    cdef double epsilon      # that share, or 0 where there is a floor
    cdef double least        # that share where there is a floor: the variance of what has no spread
    cdef double largest      # variance of a feature over all labels
    cdef Py_ssize_t top      # the feature that has it; -1: not looked up
    cdef Moments every       # of all labels together
    cdef Moments* each       # of each label
    cdef Table* tables       # of each feature

    def __cinit__(
        self, double prior_alpha, double alpha, double floor, double smoothing, categorical, declared
    ):
        self.floor, self.smoothing = floor, smoothing
        self.categorical, self.declared = categorical, declared

    def __dealloc__(self):
        cdef Py_ssize_t i
        for i in range(self.room_labels):
            release(self.each[i].n)
        for i in range(self.room):
            release(self.tables[i].totals)
            release(self.tables[i].counts)
        release(self.each)
        release(self.tables)
        release(self.every.n)

    def configure(self, Encoder encoder):
        encoder.nominal = encoder.nan_missing = encoder.fill_sparse = True
        encoder.categorical = self.categorical

    cdef int connect(self, Encoder features, Encoder encoder) except -1:
        self.encoder = encoder
        return NaiveBayesState.connect(self, features, encoder)

    # -- room -----------------------------------------------------------------------------------

    cdef int more_labels(self, Py_ssize_t old, Py_ssize_t new) except -1:
        cdef Py_ssize_t i, v
        cdef Table* t
        cdef double** counts
        self.each = <Moments*> resize(self.each, old * sizeof(Moments), new * sizeof(Moments))
        counts = <double**> resize(NULL, 0, self.room * sizeof(double*))
        try:
            for i in range(old, new):
                widen(&self.each[i], 0, self.room)
            for i in range(self.room):
                if self.tables[i].room:
                    counts[i] = <double*> resize(NULL, 0, self.tables[i].room * new * sizeof(double))
        except MemoryError:
            for i in range(old, new):
                release(self.each[i].n)
                self.each[i].n = NULL
            for i in range(self.room):
                release(counts[i])
            release(counts)
            raise
        for i in range(self.room):
            t = &self.tables[i]
            if t.room:
                for v in range(t.room * old):
                    counts[i][v // old * new + v % old] = t.counts[v]
                release(t.counts)
                t.counts = counts[i]
        release(counts)
        return 0

    cdef int reserve(self, Py_ssize_t width) except -1:
        if not self.encoder.new_values:
            return NaiveBayesState.reserve(self, width)
        # New values may be of features that are still uncommitted.
        if self.features is self.encoder:
            changed = {id for id, _, _ in self.encoder.new_values}
        else:  # behind steps, which number features anew
            changed = self.features.categories
        NaiveBayesState.reserve(self, max(width, 1 + max(changed, default=-1)))
        for id in changed:
            self.make_table(id, len(self.features.categories[id]))
        return 0

    cdef int catch_up(self) except -1:
        for id, values in self.features.categories.items():
            self.make_table(id, len(values))
        return 0

    cdef int more_features(self, Py_ssize_t old, Py_ssize_t new) except -1:
        cdef Py_ssize_t i
        widen(&self.every, old, new)
        for i in range(self.room_labels):
            widen(&self.each[i], old, new)
        self.tables = <Table*> resize(self.tables, old * sizeof(Table), new * sizeof(Table))
        return 0

    cdef int make_table(self, Py_ssize_t id, Py_ssize_t values) except -1:
        """Room for this many values of a nominal feature."""
        cdef Table* t = &self.tables[id]
        cdef Py_ssize_t room, k = self.room_labels
        if values <= t.room:
            return 0
        room = roomier(t.room, values)
        if t.room == 0 and self.declared is not None:
            t.declared = self.declared.get(str(self.features.name_of(id)), 0)
        t.totals = <double*> resize(t.totals, t.room * sizeof(double), room * sizeof(double))
        t.counts = <double*> resize(
            t.counts, t.room * k * sizeof(double), room * k * sizeof(double))
        t.room = room
        return 0

    # -- P(x | label) ---------------------------------------------------------------------------

    cdef void joints(self, const Example* e, double* out) noexcept nogil:
        cdef Py_ssize_t k
        for k in range(self.n_labels):
            out[k] = max(self.log_prior(k) + max(self.log_chance(e, k), -1e307), -1e308)

    cdef double log_chance(self, const Example* e, Py_ssize_t k) noexcept nogil:
        """ln P(x | label k).

        Logarithms are slow, so up to eight variances are multiplied before one is taken, and all
        chances. That does not depend on how the example came in.
        """
        cdef Moments* m = &self.each[k]
        cdef Py_ssize_t i, id, numbers = 0
        cdef double x, v, squares, spread, logs = 0.0, names = 0.0, chances = 1.0
        cdef double[8] sums, variances
        if e.codes == NULL and e.ids == NULL:
            squares = onstream_normal(
                e.values, m.mean, m.var, m.n, self.epsilon, self.floor, self.every.var, self.least,
                e.n, &logs, &spread)
            if squares == squares:
                return -0.5 * (min(squares, SAFE) + logs + spread * LOG_TWO_PI)
            logs = 0.0
        for i in range(8):
            sums[i], variances[i] = 0.0, 1.0
        for i in range(e.n):
            if i and i % 8 == 0:
                logs += log_product(variances)
            id = feature(e, i)
            if is_nominal(e, i):
                v = self.probability(&self.tables[id], e.codes[i], k) if self.tables[id].room else -1.0
                if v > 0.0:
                    chances *= v
                    if chances < 1e-250:
                        names += log(chances)
                        chances = 1.0
                elif v == 0.0:
                    names += LOG_ZERO
                continue
            x = e.values[i]
            v = m.var[id] + (self.epsilon + self.floor * self.every.var[id])
            v = v if v > 0.0 else self.least
            if x != x or m.n[id] == 0.0 or v <= 0.0:
                continue  # missing, new to this label, or without spread
            numbers += 1
            sums[i % 8] += (x - m.mean[id]) * (x - m.mean[id]) / v
            if 1e-35 < v < 1e35:
                variances[i % 8] = v
            else:
                logs += log(v)
        logs += log_product(variances)
        if chances < 1.0:
            names += log(chances)
        squares = onstream_total(sums)
        return names - 0.5 * (min(squares, SAFE) + logs + numbers * LOG_TWO_PI)

    cdef double probability(self, const Table* t, int32_t code, Py_ssize_t k) noexcept nogil:
        """P(value | label); -1 where nothing is known."""
        cdef double n = 0.0, among
        if 0 <= code < t.room:
            n = t.counts[code * self.room_labels + k]
        among = self.counts[k] + self.alpha * max(t.distinct, t.declared)
        return (n + self.alpha) / among if among > 0.0 else -1.0

    # -- learning -------------------------------------------------------------------------------

    cdef int add_example(self, const Example* e, double w) noexcept nogil:
        cdef Moments* m = &self.each[e.label]
        cdef Table* t
        cdef Py_ssize_t i, id, at
        if e.codes == NULL and e.ids == NULL and none_missing(e.values, e.n):
            onstream_welford(m.n, m.mean, m.m2, m.var, e.values, w, e.n)
            m = &self.every
            onstream_welford(m.n, m.mean, m.m2, m.var, e.values, w, e.n)
        else:
            for i in range(e.n):
                id = feature(e, i)
                if is_nominal(e, i):
                    t = &self.tables[id]
                    at = e.codes[i]
                    t.distinct += t.totals[at] == 0.0  # n_ivk += w
                    t.totals[at] += w
                    t.counts[at * self.room_labels + e.label] += w
                elif e.values[i] == e.values[i]:
                    add_one(m, id, e.values[i], w)
                    add_one(&self.every, id, e.values[i], w)
        self.note_spread(e)
        return LEARNED

    cdef void note_spread(self, const Example* e) noexcept nogil:
        """epsilon, after the variances of this example's features have changed."""
        cdef Py_ssize_t i, id
        cdef bint fell = self.top < 0
        if self.smoothing == 0.0:
            return
        if e.ids == NULL:  # all of them: the largest is quicker found without its place
            self.largest, self.top = 0.0, -1
            for i in range(min(max(e.width, self.features.width), self.room)):
                self.largest = max(self.largest, self.every.var[i])
            self.update_epsilon()
            return
        for i in range(e.n):
            id = e.ids[i]
            if self.every.var[id] >= self.largest:
                self.largest, self.top = self.every.var[id], id
                fell = False
            elif id == self.top:
                fell = True
        if fell:  # another one may be the largest now
            self.find_largest(max(e.width, self.features.width))
        self.update_epsilon()

    cdef void find_largest(self, Py_ssize_t width) noexcept nogil:
        cdef Py_ssize_t i
        self.largest = 0.0
        for i in range(min(width, self.room)):
            if self.every.var[i] >= self.largest:
                self.largest, self.top = self.every.var[i], i

    cdef void update_epsilon(self) noexcept nogil:
        if self.floor > 0.0:
            self.least = self.smoothing * self.largest
        else:
            self.epsilon = self.smoothing * self.largest

    cdef int remove_example(self, const Example* e, double w) noexcept nogil:
        cdef Moments* m = &self.each[e.label]
        cdef Table* t
        cdef Py_ssize_t i, id, at
        if self.lacks(e, w):
            return OVERFLOW
        for i in range(e.n):  # can all its values have been learned with this label?
            id = feature(e, i)
            if id >= self.features.width:
                if e.values[i] == e.values[i]:
                    return OVERFLOW
            elif is_nominal(e, i):
                at = e.codes[i]
                if at < 0 or at >= self.tables[id].room:
                    return OVERFLOW
                if not contains(self.tables[id].counts[at * self.room_labels + e.label], w):
                    return OVERFLOW
            elif e.values[i] == e.values[i] and not contains(m.n[id], w):
                return OVERFLOW
        for i in range(e.n):
            id = feature(e, i)
            if id >= self.features.width:
                continue
            if is_nominal(e, i):
                t = &self.tables[id]
                at = e.codes[i]
                t.totals[at] = subtract(t.totals[at], w)
                at = at * self.room_labels + e.label
                t.counts[at] = subtract(t.counts[at], w)
                t.distinct -= t.totals[e.codes[i]] == 0.0
            elif e.values[i] == e.values[i]:
                remove_one(m, id, e.values[i], w)
                remove_one(&self.every, id, e.values[i], w)
        self.find_largest(self.features.width)
        self.update_epsilon()
        return LEARNED

    cdef double weight_with(self, Py_ssize_t id, Py_ssize_t k) noexcept nogil:
        cdef Table* t = &self.tables[id]
        cdef Py_ssize_t v
        cdef double sum = self.each[k].n[id]
        for v in range(t.room):
            sum += t.counts[v * self.room_labels + k]
        return sum

    # -- state ----------------------------------------------------------------------------------

    def export_own(self):
        cdef Py_ssize_t k, id, v, width = self.features.width, n_labels = self.n_labels
        cdef Table* t
        self.reserve(width)
        fields = NaiveBayesState.export_own(self)
        moments = [matrix(self.every.n, 3, width, self.room)]
        moments += [matrix(self.each[k].n, 3, width, self.room) for k in range(n_labels)]
        nominal = self.nominal_counts()
        table = np.zeros((sum(nominal.values()), n_labels + 1))
        cdef double* row = doubles(table)
        for id, count in nominal.items():
            self.make_table(id, count)
            t = &self.tables[id]
            for v in range(count):
                row[0] = t.totals[v]
                memcpy(row + 1, t.counts + v * self.room_labels, n_labels * sizeof(double))
                row += n_labels + 1
        return {**fields, "moments": np.stack(moments), "table": table}

    def restore_own(self, fields):
        cdef Py_ssize_t k, id, v, width, row = 0
        cdef Table* t
        NaiveBayesState.restore_own(self, fields)
        width = self.features.width
        self.reserve(width)
        moments = fields.array("moments", (self.n_labels + 1, 3, width))
        if (moments[:, 0] < 0.0).any() or (moments[:, 2] < 0.0).any():
            raise ValueError("moments has a negative weight or variance")
        if (moments[:, 0] > 1e80).any() or (np.abs(moments[:, 1]) > 1.01e120).any():
            raise ValueError("moments has a weight or a mean that cannot be")
        read_moments(&self.every, moments[0], self.room)
        for k in range(self.n_labels):
            read_moments(&self.each[k], moments[k + 1], self.room)
        values = {id: len(known) for id, known in self.features.categories.items()}
        table = fields.array("table", (sum(values.values()), self.n_labels + 1))
        if (table < 0.0).any():
            raise ValueError("table has a negative count")
        for id, count in sorted(values.items()):
            self.make_table(id, count)
            t = &self.tables[id]
            for v in range(count):
                t.totals[v] = table[row, 0]
                t.distinct += t.totals[v] > 0.0
                for k in range(self.n_labels):
                    t.counts[v * self.room_labels + k] = table[row, k + 1]
                row += 1
        self.find_largest(width)
        self.update_epsilon()

    def nominal_counts(self):
        """Of each nominal feature: how many values are known."""
        fresh = {}  # a feature that goes through a union keeps its own table of values
        for feature, _, _ in self.encoder.new_values:
            table = id(self.encoder.categories[feature])
            fresh[table] = fresh.get(table, 0) + 1
        return {
            feature: len(values) - fresh.get(id(values), 0)
            for feature, values in sorted(self.features.categories.items())
            if feature < self.features.width
        }

    def memory(self):
        cdef Py_ssize_t i, held = 0
        for i in range(self.room):
            held += self.tables[i].room * (1 + self.room_labels)
        held += 4 * (self.room_labels + 1) * self.room
        return (
            NaiveBayesState.memory(self) + 8 * held + self.room * sizeof(Table)
            + self.room_labels * sizeof(Moments)
        )


# -- means and variances -----------------------------------------------------------------------


cdef int widen(Moments* m, Py_ssize_t old, Py_ssize_t new) except -1:
    """Room for `new` features, in one block: n, mean, m2, var."""
    cdef double* block = <double*> resize(NULL, 0, 4 * new * sizeof(double))
    cdef Py_ssize_t i
    for i in range(old):
        block[i] = m.n[i]
        block[new + i] = m.mean[i]
        block[2 * new + i] = m.m2[i]
        block[3 * new + i] = m.var[i]
    if m.n != NULL:
        release(m.n)
    m.n, m.mean, m.m2, m.var = block, block + new, block + 2 * new, block + 3 * new
    return 0


cdef bint none_missing(const double* x, Py_ssize_t n) noexcept nogil:
    cdef double nought = 0.0
    cdef Py_ssize_t i
    for i in range(n):
        nought += x[i] * 0.0
    return nought == 0.0


cdef double log_product(double* variances) noexcept nogil:
    """ln of the product of eight numbers, which are then 1."""
    cdef double product = onstream_product(variances)
    cdef Py_ssize_t i
    for i in range(8):
        variances[i] = 1.0
    return log(product)


cdef inline void add_one(Moments* m, Py_ssize_t i, double x, double w) noexcept nogil:
    onstream_welford(m.n + i, m.mean + i, m.m2 + i, m.var + i, &x, w, 1)


cdef void remove_one(Moments* m, Py_ssize_t i, double x, double w) noexcept nogil:
    """Welford's step back."""
    cdef double n = subtract(m.n[i], w), mean
    if n == 0.0:
        m.n[i] = m.mean[i] = m.m2[i] = m.var[i] = 0.0
        return
    mean = m.mean[i] - (x - m.mean[i]) * (w / n)
    m.m2[i] = max(0.0, m.m2[i] - w * (x - mean) * (x - m.mean[i]))
    m.n[i], m.mean[i] = n, mean
    m.var[i] = m.m2[i] / n


cdef int read_moments(Moments* m, object numbers, Py_ssize_t room) except -1:
    """n, mean and m2 of each feature; `room` of them fit."""
    cdef Py_ssize_t i
    fill(m.n, numbers, room)
    for i in range(numbers.shape[1]):
        m.var[i] = m.m2[i] / m.n[i] if m.n[i] > 0.0 else 0.0
    return 0
