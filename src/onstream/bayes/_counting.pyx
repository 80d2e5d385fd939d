"""Naive Bayes over counts: how often a word occurs, or whether."""

from libc.math cimport INFINITY, log
from libc.stdint cimport int32_t, int64_t, uint64_t
from libc.string cimport memcpy, memset

from ..core.arrays cimport fill, floats, matrix
from ..core.example cimport LEARNED, OVERFLOW, Example, feature, onstream_scores
from ..core.memory cimport release, resize
from ._state cimport LOG_ZERO, NaiveBayesState, contains, log_or_zero, subtract

cdef extern from "logs.h" nogil:
    void onstream_logs(double* x, Py_ssize_t n)
    bint onstream_odds(double* out, double** rows, Py_ssize_t n_rows, const double* all,
                       double a, Py_ssize_t n)

cdef extern from "bits.h" nogil:
    Py_ssize_t onstream_lowest(uint64_t bits)

cdef enum:
    EVERY = -1   # label
    TILE = 64    # logarithms taken at once
    OFTEN = 64   # counts from here on are not grouped


cdef class CountingState(NaiveBayesState):
    cdef double* table       # room x room_labels: c_tk, or n_tk
    cdef double* totals      # of each feature, all labels together
    cdef double* sums        # of each label, all features together
    cdef double distinct     # features whose total is not 0, besides columns of arrays
    cdef bint whether        # n_tk counts examples with the feature; otherwise c_tk sums up values
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

    cdef Py_ssize_t columns(self, Py_ssize_t width) noexcept nogil:
        """How many of the first `width` features are columns of arrays. These are declared: they
        count though they may never have been above 0."""
        return 0 if self.behind_steps else min(self.features.implicit, width)

    cdef bint counts_for(self, Py_ssize_t id, Py_ssize_t columns) noexcept nogil:
        """Is this feature one of the V? Without smoothing, an empty column is not."""
        return id < self.room and (self.totals[id] > 0.0 or (id < columns and self.alpha > 0.0))

    cdef int add_example(self, const Example* e, double w) noexcept nogil:
        """What is not above 0 adds 0, without a branch: where a row has zeros is hard to foresee."""
        cdef Py_ssize_t i, id, columns = self.columns(e.width)
        cdef double c, least = 0.0, sum = self.sums[e.label]
        for i in range(e.n):
            id = feature(e, i)
            c = w * self.amount(e.values[i])
            least = min(least, e.values[i])
            if self.totals[id] == 0.0:
                self.distinct += id >= columns and c > 0.0
            self.totals[id] += c
            self.table[id * self.room_labels + e.label] += c
            sum += c
        self.sums[e.label] = sum
        if least < 0.0 and self.minds_negative:
            self.tell_negative(e)
        return LEARNED

    cdef inline double amount(self, double x) noexcept nogil:
        """What a value adds to the counts."""
        cdef double some = 1.0 if self.whether else x
        return some if x > 0.0 else 0.0

    cdef void tell_negative(self, const Example* e) noexcept nogil:
        cdef Py_ssize_t i
        for i in range(e.n):
            if e.values[i] < 0.0 and self.minds_negative:
                self.below, self.below_value = feature(e, i), e.values[i]
                self.doubtful, self.minds_negative = True, False

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
    """Keeps ln(c_tk + alpha), so that scores are those of a linear model: x_t times a logarithm."""

    cdef double* logs       # room x stride: of features that were ever above 0; of others, 0
    cdef Py_ssize_t stride  # of a row of logs: whole vector registers
    cdef bint keeps_logs    # not where alpha is 0: then some are of 0
    cdef double none        # ln alpha: of a feature that a label never had

    def __cinit__(self, *parameters):
        self.minds_negative = True
        self.keeps_logs = self.alpha > 1e-300
        if self.keeps_logs:
            self.none = self.alpha
            onstream_logs(&self.none, 1)

    def __dealloc__(self):
        release(self.logs)

    def doubt(self):
        """A value below 0, which learning has left out without the GIL."""
        self.doubtful = False
        return "negative", (
            f"feature {self.features.name_of(self.below)!r:.80} is {self.below_value:g}, and a count "
            f"is not below 0: such values are left out. Pass counts (behind a hasher "
            f"signed=False), or use GaussianNB for numbers."
        )

    # -- the logarithms -------------------------------------------------------------------------

    cdef int more_labels(self, Py_ssize_t old, Py_ssize_t new) except -1:
        cdef Py_ssize_t i, k, stride = 4 if new <= 4 else (new + 7) // 8 * 8
        cdef double* logs = NULL
        if self.keeps_logs:
            logs = <double*> resize(NULL, 0, self.room * stride * sizeof(double))
        try:
            CountingState.more_labels(self, old, new)
        except MemoryError:
            release(logs)
            raise
        if self.keeps_logs:
            for i in range(self.room):
                if self.totals[i] > 0.0:
                    memcpy(logs + i * stride, self.logs + i * self.stride, old * sizeof(double))
                    for k in range(old, stride):
                        logs[i * stride + k] = self.none
            release(self.logs)
            self.logs, self.stride = logs, stride
        return 0

    cdef int more_features(self, Py_ssize_t old, Py_ssize_t new) except -1:
        cdef Py_ssize_t item = self.stride * sizeof(double)
        if self.keeps_logs:
            self.logs = <double*> resize(self.logs, old * item, new * item)
        return CountingState.more_features(self, old, new)

    cdef int add_example(self, const Example* e, double w) noexcept nogil:
        cdef Py_ssize_t i, k, id
        if self.keeps_logs:
            for i in range(e.n):
                id = feature(e, i)
                if self.totals[id] == 0.0 and w * self.amount(e.values[i]) > 0.0:
                    for k in range(self.stride):
                        self.logs[id * self.stride + k] = self.none
        CountingState.add_example(self, e, w)
        self.take_logs(e)
        return LEARNED

    cdef int remove_example(self, const Example* e, double w) noexcept nogil:
        cdef Py_ssize_t i, id
        if CountingState.remove_example(self, e, w) != LEARNED:
            return OVERFLOW
        self.take_logs(e)
        if self.keeps_logs:
            for i in range(e.n):
                id = feature(e, i)
                if id < self.room and self.totals[id] == 0.0:
                    memset(self.logs + id * self.stride, 0, self.stride * sizeof(double))
        return LEARNED

    cdef void take_logs(self, const Example* e) noexcept nogil:
        """The logarithms of the counts of this example's features and label."""
        cdef double[TILE] logs
        cdef Py_ssize_t i = 0, j, id, n
        while self.keeps_logs and i < e.n:
            n = min(e.n - i, <Py_ssize_t> TILE)
            for j in range(n):
                id = feature(e, i + j)
                logs[j] = self.alpha
                if id < self.room:
                    logs[j] += self.table[id * self.room_labels + e.label]
            onstream_logs(logs, n)
            for j in range(n):
                id = feature(e, i + j)
                if id < self.room and self.totals[id] > 0.0:
                    self.logs[id * self.stride + e.label] = logs[j]
            i += n

    # -- scores ---------------------------------------------------------------------------------

    cdef void joints(self, const Example* e, double* out) noexcept nogil:
        """ln P(k) + sum of x_t ln(c_tk + alpha) - sum of x_t * ln(sum of c_k + alpha V)"""
        cdef double[TILE] among
        cdef Py_ssize_t i, id, k, j, n, columns = self.columns(e.width)
        cdef double amount = 0.0, empty = 0.0, features = self.alpha * (self.distinct + columns)
        if not self.keeps_logs or (e.ids == NULL and e.n > self.room):
            self.plain_joints(e, out)
            return
        for i in range(e.n):
            id = feature(e, i)
            if e.values[i] < 0.0 or id >= self.room:
                self.plain_joints(e, out)
                return
            if self.totals[id] > 0.0:
                amount += e.values[i]
            elif id < columns:
                empty += e.values[i]
        onstream_scores(out, self.logs, e.ids, e.values, e.n, self.n_labels, self.stride)
        empty, amount = empty * self.none, amount + empty
        k = 0
        while k < self.n_labels:
            n = min(self.n_labels - k, <Py_ssize_t> TILE)
            for j in range(n):
                among[j] = self.sums[k + j] + features
                among[j] = among[j] if among[j] > 0.0 else 1.0  # nothing is known: amount is 0
            onstream_logs(among, n)
            for j in range(n):
                out[k + j] = max(
                    self.log_prior(k + j) + (out[k + j] + empty - amount * among[j]), -1e308)
            k += n

    cdef void plain_joints(self, const Example* e, double* out) noexcept nogil:
        """The same, term by term: without smoothing, or where values are to be left out."""
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

    def restore_own(self, fields):
        cdef Py_ssize_t i, k
        CountingState.restore_own(self, fields)
        if self.keeps_logs:
            for i in range(self.features.width):
                if self.totals[i] > 0.0:
                    for k in range(self.stride):
                        self.logs[i * self.stride + k] = self.alpha
                    for k in range(self.n_labels):
                        self.logs[i * self.stride + k] += self.table[i * self.room_labels + k]
                    onstream_logs(self.logs + i * self.stride, self.stride)

    def memory(self):
        held = self.room * self.stride if self.keeps_logs else 0
        return CountingState.memory(self) + 8 * held


cdef class BernoulliState(CountingState):
    """Groups features by how many examples of a label have them: ln(1 - p) is the same for a group.

    An example of label k changes N_k, and with it all terms of k; but most features are rare, so
    there are few groups. Features that are not, or have counts that are no whole numbers, are added
    one by one, in their order: the sum follows from the table, however it came about.
    """

    cdef double* absent  # of each label: sum over all features of ln(1 - p), where p < 1
    cdef double* never   # of each label: features that are never absent, p = 1
    cdef char* fresh     # of each label: are these sums those of the table?
    cdef Py_ssize_t declared  # columns that they were summed up for
    cdef int64_t* rare   # room_labels x OFTEN: features that 1, 2, ... examples of the label have
    cdef uint64_t* often  # room_labels x words bits: the other features that it has
    cdef Py_ssize_t words  # of such a row

    def __cinit__(self, *parameters):
        self.whether = True

    def __dealloc__(self):
        release(self.absent)
        release(self.never)
        release(self.fresh)
        release(self.rare)
        release(self.often)

    cdef int more_labels(self, Py_ssize_t old, Py_ssize_t new) except -1:
        cdef Py_ssize_t group = OFTEN * sizeof(int64_t), bits = self.words * sizeof(uint64_t)
        self.absent = <double*> resize(self.absent, old * sizeof(double), new * sizeof(double))
        self.never = <double*> resize(self.never, old * sizeof(double), new * sizeof(double))
        self.fresh = <char*> resize(self.fresh, old, new)
        self.rare = <int64_t*> resize(self.rare, old * group, new * group)
        self.often = <uint64_t*> resize(self.often, old * bits, new * bits)
        return CountingState.more_labels(self, old, new)

    cdef int more_features(self, Py_ssize_t old, Py_ssize_t new) except -1:
        cdef Py_ssize_t k, words = (new + 63) // 64
        cdef uint64_t* often = <uint64_t*> resize(
            NULL, 0, self.room_labels * words * sizeof(uint64_t))
        try:
            CountingState.more_features(self, old, new)
        except MemoryError:
            release(often)
            raise
        for k in range(self.room_labels):
            if self.words:
                memcpy(often + k * words, self.often + k * self.words, self.words * sizeof(uint64_t))
        release(self.often)
        self.often, self.words = often, words
        return 0

    cdef int reserve(self, Py_ssize_t width) except -1:
        CountingState.reserve(self, width)
        self.refresh(self.columns(self.features.width))  # with the GIL: predictions only read it
        return 0

    # -- learning -------------------------------------------------------------------------------

    cdef int learn(self, const Example* e) noexcept nogil:
        cdef double distinct = self.distinct
        cdef int status = NaiveBayesState.learn(self, e)
        self.outdate(e.label if self.distinct == distinct else EVERY)
        return status

    cdef int add_example(self, const Example* e, double w) noexcept nogil:
        cdef int status
        self.group_features(e, -1, OFTEN)  # what is often stays so
        status = CountingState.add_example(self, e, w)
        self.group_features(e, 1, OFTEN + 2.0 * w)
        return status

    cdef int remove_example(self, const Example* e, double w) noexcept nogil:
        cdef double distinct = self.distinct
        cdef int status = OVERFLOW
        if not self.lacks(e, w):
            self.group_features(e, -1, INFINITY)
            status = CountingState.remove_example(self, e, w)
            self.group_features(e, 1, INFINITY)
        self.outdate(e.label if self.distinct == distinct else EVERY)
        return status

    cdef void group_features(self, const Example* e, int step, double below) noexcept nogil:
        """Put the features of the example into their groups, or with step -1 take them out: those
        with counts below a limit."""
        cdef Py_ssize_t i, id
        for i in range(e.n):
            id = feature(e, i)
            if id < self.room and self.table[id * self.room_labels + e.label] < below:
                if e.values[i] > 0.0:
                    self.group(id, e.label, step)

    cdef void group(self, Py_ssize_t id, Py_ssize_t k, int step) noexcept nogil:
        cdef double n = self.table[id * self.room_labels + k]
        cdef uint64_t* word = self.often + k * self.words + id // 64
        if n == 0.0:
            return
        if n < OFTEN and n == <Py_ssize_t> n:
            self.rare[k * OFTEN + <Py_ssize_t> n] += step
        elif step > 0:
            word[0] |= <uint64_t> 1 << (id % 64)
        else:
            word[0] &= ~(<uint64_t> 1 << (id % 64))

    cdef bint present(self, double x) noexcept nogil:
        return x > 0.0

    cdef double weight_with(self, Py_ssize_t id, Py_ssize_t k) noexcept nogil:
        return self.table[id * self.room_labels + k]

    # -- the sum of ln(1 - p) -------------------------------------------------------------------

    cdef void outdate(self, int32_t label) noexcept nogil:
        """The sums of this label are no longer those of the table; or of EVERY label, where the
        features have changed."""
        if label != EVERY:
            self.fresh[label] = False
        elif self.room_labels:
            memset(self.fresh, False, self.room_labels)

    cdef void refresh(self, Py_ssize_t columns) noexcept nogil:
        """Sum up ln(1 - p) for each label; features that never came are left out."""
        cdef Py_ssize_t k
        if columns != self.declared:
            self.declared = columns
            self.outdate(EVERY)
        for k in range(self.n_labels):
            if not self.fresh[k]:
                self.sum_absent(k, columns)
                self.fresh[k] = True

    cdef void sum_absent(self, Py_ssize_t k, Py_ssize_t columns) noexcept nogil:
        cdef double all = self.counts[k] + self.alpha, among = all + self.alpha
        cdef double logs = 0.0, product = 1.0, q
        cdef Py_ssize_t c, i, terms = 0, never = 0
        cdef int64_t m
        cdef uint64_t bits
        self.absent[k] = self.never[k] = 0.0
        if not among > 0.0:
            return
        for c in range(1, OFTEN):
            m = self.rare[k * OFTEN + c]
            q = all - c
            if m and q > 0.0:
                logs += m * log(q)
                terms += m
            elif m:
                never += m
        for i in range(self.words):
            bits = self.often[k * self.words + i]
            while bits:
                q = all - self.table[(64 * i + onstream_lowest(bits)) * self.room_labels + k]
                bits &= bits - 1
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
        # Those that no example of the label has; without smoothing they are always absent: ln 1.
        logs += (self.distinct + columns - terms - never) * (log(all) - log(among))
        self.absent[k], self.never[k] = logs, never

    # -- scores ---------------------------------------------------------------------------------

    cdef void joints(self, const Example* e, double* out) noexcept nogil:
        """ln P(k) + sum of ln(1 - p) over all features; ln p - ln(1 - p) for those present, with
        p = (n_tk + alpha) / (N_k + 2 alpha)"""
        cdef double* rows[8]
        cdef Py_ssize_t k, i, id, n = 0, columns = self.columns(e.width)
        self.refresh(columns)  # never stale for a prediction: only within a block that learns
        if not 1e-20 < self.alpha < 1e30 or self.total > 1e15:
            self.plain_joints(e, out)  # a product of eight might not be a double
            return
        for k in range(self.n_labels):
            out[k] = self.log_prior(k) + self.absent[k]
        for i in range(e.n):
            id = feature(e, i)
            if e.values[i] > 0.0 and self.counts_for(id, columns):
                rows[n] = self.table + id * self.room_labels
                n += 1
            if n == 8 or (i == e.n - 1 and n > 0):
                if not onstream_odds(out, rows, n, self.counts, self.alpha, self.n_labels):
                    self.plain_joints(e, out)
                    return
                n = 0
        for k in range(self.n_labels):
            out[k] = max(out[k] + self.never[k] * LOG_ZERO, -1e308)

    cdef void plain_joints(self, const Example* e, double* out) noexcept nogil:
        """The same, term by term."""
        cdef Py_ssize_t k, i, id, columns = self.columns(e.width)
        cdef double n, q, total, among, never
        for k in range(self.n_labels):
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

    # -- state ----------------------------------------------------------------------------------

    def restore_own(self, fields):
        cdef Py_ssize_t i, k
        CountingState.restore_own(self, fields)
        if self.rare != NULL:  # there are labels
            memset(self.rare, 0, self.room_labels * OFTEN * sizeof(int64_t))
        if self.often != NULL:  # and features
            memset(self.often, 0, self.room_labels * self.words * sizeof(uint64_t))
        for i in range(self.features.width):
            for k in range(self.n_labels):
                self.group(i, k, 1)
        self.outdate(EVERY)
        self.refresh(self.columns(self.features.width))

    def memory(self):
        held = 2 * sizeof(double) + 1 + OFTEN * sizeof(int64_t) + self.words * sizeof(uint64_t)
        return CountingState.memory(self) + self.room_labels * held
