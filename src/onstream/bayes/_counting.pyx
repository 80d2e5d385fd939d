"""Naive Bayes over counts: how often a word occurs, or whether."""

from libc.math cimport log
from libc.stdint cimport int32_t
from libc.string cimport memset

from ..core.arrays cimport fill, floats, matrix
from ..core.example cimport LEARNED, OVERFLOW, Example, feature
from ..core.memory cimport release, resize
from ._state cimport LOG_ZERO, NaiveBayesState, contains, log_or_zero, subtract

cdef enum:
    EVERY = -1  # label


cdef class CountingState(NaiveBayesState):
    cdef double* table       # room x room_labels: c_tk, or n_tk
    cdef double* totals      # of each feature, all labels together
    cdef double* sums        # of each label, all features together
    cdef double distinct     # features whose total is not 0, besides columns of arrays
    cdef bint minds_negative  # values below 0 are to be warned of, once
    cdef Py_ssize_t below    # feature of such a value, which was left out
    cdef double below_value

    def __dealloc__(self):
        release(self.table)
        release(self.totals)
        release(self.sums)

    cdef int more_labels(self, Py_ssize_t old, Py_ssize_t new) except -1:
        cdef Py_ssize_t i
        cdef double* table
        self.sums = <double*> resize(self.sums, old * sizeof(double), new * sizeof(double))
        table = <double*> resize(NULL, 0, self.room * new * sizeof(double))  # last: nothing fails now
        for i in range(self.room * old):
            table[i // old * new + i % old] = self.table[i]
        release(self.table)
        self.table = table
        return 0

    cdef int more_features(self, Py_ssize_t old, Py_ssize_t new) except -1:
        cdef Py_ssize_t k = self.room_labels
        self.table = <double*> resize(self.table, old * k * sizeof(double), new * k * sizeof(double))
        self.totals = <double*> resize(self.totals, old * sizeof(double), new * sizeof(double))
        return 0

    cdef double amount(self, double x) noexcept nogil:
        """What a value adds to the counts: c_tk sums up values, n_tk counts examples."""
        return x

    cdef Py_ssize_t columns(self, Py_ssize_t width) noexcept nogil:
        """How many of the first `width` features are columns of arrays. These are declared: they
        count though they may never have been above 0."""
        return 0 if self.behind_steps else min(self.features.implicit, width)

    cdef bint counts_for(self, Py_ssize_t id, Py_ssize_t columns) noexcept nogil:
        """Is this feature one of the V? Without smoothing, an empty column is not."""
        return id < self.room and (self.totals[id] > 0.0 or (id < columns and self.alpha > 0.0))

    cdef int add_example(self, const Example* e, double w) noexcept nogil:
        cdef Py_ssize_t i, id, columns = self.columns(e.width)
        cdef double c
        for i in range(e.n):
            if e.values[i] > 0.0:
                id = feature(e, i)
                c = w * self.amount(e.values[i])
                self.distinct += id >= columns and self.totals[id] == 0.0 and c > 0.0
                self.totals[id] += c
                self.table[id * self.room_labels + e.label] += c
                self.sums[e.label] += c
            elif e.values[i] < 0.0 and self.minds_negative:
                self.below, self.below_value = feature(e, i), e.values[i]
                self.doubtful, self.minds_negative = True, False
        return LEARNED

    cdef int remove_example(self, const Example* e, double w) noexcept nogil:
        cdef Py_ssize_t i, id, columns = self.columns(e.width)
        cdef double c
        for i in range(e.n):
            id = feature(e, i)
            if e.values[i] > 0.0 and (id >= self.features.width or not contains(
                    self.table[id * self.room_labels + e.label], w * self.amount(e.values[i]))):
                return OVERFLOW
        for i in range(e.n):
            if e.values[i] > 0.0:
                id = feature(e, i)
                c = w * self.amount(e.values[i])
                self.totals[id] = subtract(self.totals[id], c)
                self.distinct -= id >= columns and self.totals[id] == 0.0
                self.sums[e.label] = subtract(self.sums[e.label], c)
                id = id * self.room_labels + e.label
                self.table[id] = subtract(self.table[id], c)
        return LEARNED

    def export_own(self):
        cdef Py_ssize_t width = self.features.width
        self.reserve(width)
        return {
            **NaiveBayesState.export_own(self),
            "table": matrix(self.table, width, self.n_labels, self.room_labels),
            "totals": floats(self.totals, width), "sums": floats(self.sums, self.n_labels),
        }

    def restore_own(self, fields):
        cdef Py_ssize_t i
        NaiveBayesState.restore_own(self, fields)
        self.reserve(self.features.width)
        table = fields.array("table", (self.features.width, self.n_labels))
        totals = fields.array("totals", (self.features.width,))
        sums = fields.array("sums", (self.n_labels,))
        if (table < 0.0).any() or (totals < 0.0).any() or (sums < 0.0).any():
            raise ValueError("the table has a negative count")
        fill(self.table, table, self.room_labels)
        fill(self.totals, totals)
        fill(self.sums, sums)
        for i in range(self.columns(self.features.width), self.features.width):
            self.distinct += self.totals[i] > 0.0

    def memory(self):
        held = self.room * (self.room_labels + 1) + self.room_labels
        return NaiveBayesState.memory(self) + 8 * held


cdef class MultinomialState(CountingState):
    def __cinit__(self, *parameters):
        self.minds_negative = True

    def doubt(self):
        """A value below 0, which learning has left out without the GIL."""
        self.doubtful = False
        return "negative", (
            f"feature {self.features.name_of(self.below)!r:.80} is {self.below_value:g}, and a count "
            f"is not below 0: such values are left out. Pass counts (behind a hasher "
            f"signed=False), or use GaussianNB for numbers."
        )

    cdef void joints(self, const Example* e, double* out) noexcept nogil:
        cdef Py_ssize_t k, i, id, columns = self.columns(e.width)
        cdef double among, n, total
        for k in range(self.n_labels):
            # ln P(k) + sum of x_t ln((c_tk + alpha) / (sum of c_k + alpha V))
            total = self.log_prior(k)
            among = self.sums[k] + self.alpha * (self.distinct + columns)
            if among > 0.0:
                for i in range(e.n):
                    if e.values[i] > 0.0:
                        id = feature(e, i)
                        if not self.counts_for(id, columns):
                            continue
                        n = self.table[id * self.room_labels + k] + self.alpha
                        total += e.values[i] * log(n / among) if n > 0.0 else LOG_ZERO
            out[k] = max(total, -1e308)


cdef class BernoulliState(CountingState):
    cdef double* absent  # of each label: sum over all features of ln(1 - p), where p < 1
    cdef double* never   # of each label: features that are never absent, p = 1
    cdef char* fresh     # of each label: are these sums those of the table?
    cdef Py_ssize_t declared  # columns that they were summed up for

    def __dealloc__(self):
        release(self.absent)
        release(self.never)
        release(self.fresh)

    cdef double amount(self, double x) noexcept nogil:
        return 1.0

    cdef int more_labels(self, Py_ssize_t old, Py_ssize_t new) except -1:
        self.absent = <double*> resize(self.absent, old * sizeof(double), new * sizeof(double))
        self.never = <double*> resize(self.never, old * sizeof(double), new * sizeof(double))
        self.fresh = <char*> resize(self.fresh, old, new)
        return CountingState.more_labels(self, old, new)

    cdef int reserve(self, Py_ssize_t width) except -1:
        CountingState.reserve(self, width)
        self.refresh(self.columns(self.features.width))  # with the GIL: predictions only read it
        return 0

    cdef int learn(self, const Example* e) noexcept nogil:
        cdef double distinct = self.distinct
        cdef int status = NaiveBayesState.learn(self, e)
        self.outdate(e.label if self.distinct == distinct else EVERY)
        return status

    cdef int remove_example(self, const Example* e, double w) noexcept nogil:
        cdef double distinct = self.distinct
        cdef int status = OVERFLOW if self.lacks(e, w) else CountingState.remove_example(self, e, w)
        self.outdate(e.label if self.distinct == distinct else EVERY)
        return status

    cdef bint present(self, double x) noexcept nogil:
        return x > 0.0

    cdef double weight_with(self, Py_ssize_t id, Py_ssize_t k) noexcept nogil:
        return self.table[id * self.room_labels + k]

    cdef void outdate(self, int32_t label) noexcept nogil:
        """The sums of this label are no longer those of the table; or of EVERY label, where the
        features have changed."""
        if label != EVERY:
            self.fresh[label] = False
        elif self.room_labels:
            memset(self.fresh, False, self.room_labels)

    cdef void refresh(self, Py_ssize_t columns) noexcept nogil:
        """Sum up ln(1 - p) for each label; features that never came are left out."""
        cdef Py_ssize_t i, k, terms, never
        cdef double among, logs, product, q
        if columns != self.declared:
            self.declared = columns
            self.outdate(EVERY)
        for k in range(self.n_labels):
            if self.fresh[k]:
                continue
            among = self.counts[k] + 2.0 * self.alpha
            product, logs, terms, never = 1.0, 0.0, 0, 0
            if among > 0.0:
                for i in range(self.room):
                    if self.counts_for(i, columns):
                        q = self.counts[k] - self.table[i * self.room_labels + k] + self.alpha
                        terms += q > 0.0
                        if 1e-100 < q < 1e100:
                            product *= q
                            if not 1e-100 < product < 1e100:
                                logs += log(product)
                                product = 1.0
                        elif q > 0.0:
                            logs += log(q)
                        else:
                            never += 1
                logs += log(product) - terms * log(among)
            self.absent[k], self.never[k] = logs, never
            self.fresh[k] = True

    cdef void joints(self, const Example* e, double* out) noexcept nogil:
        cdef Py_ssize_t k, i, id, columns = self.columns(e.width)
        cdef double n, q, total, among, never
        self.refresh(columns)  # never stale for a prediction: only within a block that learns
        for k in range(self.n_labels):
            # ln P(k) + sum of ln(1 - p) over all features; ln p - ln(1 - p) for those present,
            # with p = (n_tk + alpha) / (N_k + 2 alpha)
            among = self.counts[k] + 2.0 * self.alpha
            total = self.log_prior(k)
            if among > 0.0:
                total += self.absent[k]
                never = self.never[k]
                for i in range(e.n):
                    id = feature(e, i)
                    if e.values[i] > 0.0 and self.counts_for(id, columns):
                        n = self.table[id * self.room_labels + k]
                        q = self.counts[k] - n + self.alpha
                        total += log_or_zero(n + self.alpha)
                        if q > 0.0:
                            total -= log(q)
                        else:  # p = 1: it was not in the sum
                            never -= 1.0
                            total -= log(among)
                total += never * LOG_ZERO
            out[k] = max(total, -1e308)

    def restore_own(self, fields):
        CountingState.restore_own(self, fields)
        self.outdate(EVERY)
        self.refresh(self.columns(self.features.width))

    def memory(self):
        return CountingState.memory(self) + self.room_labels * (2 * sizeof(double) + 1)
