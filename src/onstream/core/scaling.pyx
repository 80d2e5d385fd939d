"""Scales of the features, learned on the way: the last step before a learner with `scale="auto"`.

A value x of feature i reaches the learner as (x - OFFSET[i]) * FACTOR[i]. What an example lacks is
0, as everywhere: a dense row with zeros and a sparse one without them are the same. A feature that
is nearly always there is standardised, and a 0 of it, written or not, counts as any other value. A
rare one is only divided by its root mean square where it is there, and by the fourth root of the
share p of examples that have it, so that it stays 0 where it is 0. Between RARE and USUAL the
offset grows from 0 to the mean, so nothing jumps. What never varies says nothing: 0. Before a
learner without intercept nothing is subtracted.

Features with an offset are `centred`, in order; an example is spelled out with all of them. Each of
them is there in more than RARE of all examples, so that costs no more than a few times the values
that an example has.

An example counts before it is scaled, so that no learned value is far out. Offset and factor are
computed again after a fifth more examples (of centred features: after a fifth more of all), and at
a value beyond OUTLIER deviations that is large enough to change them. Values that are not 0 count, by Welford's update; after MANY of
them one in EIGHTH, eightfold.
"""

from cpython.mem cimport PyMem_RawFree, PyMem_RawMalloc
from libc.math cimport fabs, floor, pow, sqrt
from libc.stdint cimport int32_t, int64_t, uint64_t
from libc.string cimport memcpy, memmove

import numpy as np

from .arrays cimport doubles
from .encoder cimport bounded
from .example cimport LEARNED, NO_MEMORY, OVERFLOW, Example, feature, onstream_peak
from .memory cimport release, resize, roomier
from .state cimport State
from .transformer cimport Pool, TransformerState, fill_pool


cdef extern from "scaling.h" nogil:
    int64_t onstream_standardise(
        double* out, const double* x, const double* offset, const double* factor,
        const double* closed, const double* reach, double limit, Py_ssize_t n)
    int64_t onstream_standardise_score(
        double* out, double* products, const double* x, const double* offset, const double* factor,
        const double* v, const double* reach, double limit, Py_ssize_t n)
    int64_t onstream_standardise_sparse(
        double* out, Py_ssize_t* centred, const double* x, const int32_t* ids,
        const double* offset, const double* factor, const double* closed, const int32_t* place,
        Py_ssize_t n)
    int64_t onstream_spell_out(
        double* out, int32_t* out_ids, Py_ssize_t* filled, const double* x, const int32_t* ids,
        const double* offset, const double* factor, const double* closed, const int32_t* place,
        Py_ssize_t n)
    bint onstream_any_due(
        const double* x, const int32_t* ids, const double* count, const double* due,
        const double* offset, Py_ssize_t n)
    bint onstream_count(
        double* count, double* mean, double* square, double* closed, const double* x,
        const double* offset, const double* due, double many, double weight, Py_ssize_t n)


cdef enum:
    FEW = 64      # values that fit on the stack
    MANY = 256    # values of a feature after which a sample suffices
    EIGHTH = 8

cdef enum:  # what onstream_standardise has found in an example
    LARGE = 1  # a scaled value beyond OUTLIER
    OPEN = 2   # a feature that is not closed
    FAR = 4    # a value out of reach

cdef uint64_t SPREAD = 0x9E3779B97F4A7C15  # 2**64 over the golden ratio

cdef double RARE = 0.2        # share of examples from which on a feature is centred
cdef double USUAL = 0.8       # share from which on it is centred at its mean
cdef double OUTLIER = 5.0     # deviations
cdef double LARGEST = 1e150   # a value whose square can still be summed
cdef double NOISE = 1e-26     # of the squared mean: a variance below is rounding
cdef double LEAST = 1e-290    # a variance whose root can still be divided by


cdef class Scaling(TransformerState):
    def __cinit__(self, bint centres):
        self.centres = centres
        self.next_due = 1.0

    def __dealloc__(self):
        cdef Py_ssize_t k
        for k in range(N_ROWS):
            release(self.kept[k])
        release(self.centred)
        release(self.place)
        release(self.zeros)
        PyMem_RawFree(self.old)

    cdef int reserve(self, Py_ssize_t width) except -1:
        cdef Py_ssize_t room, k
        if width > self.room:
            room = width if self.room == 0 else roomier(self.room, width)
            for k in range(N_ROWS):
                self.kept[k] = <double*> resize(
                    self.kept[k], self.room * sizeof(double), room * sizeof(double))
            self.centred = <int32_t*> resize(
                self.centred, self.room * sizeof(int32_t), room * sizeof(int32_t))
            self.place = <int32_t*> resize(
                self.place, self.room * sizeof(int32_t), room * sizeof(int32_t))
            self.zeros = <double*> resize(
                self.zeros, self.room * sizeof(double), room * sizeof(double))
            self.room = room
        self.rows = max(self.rows, width)
        return 0

    cdef int shrink(self, Py_ssize_t width) except -1:
        self.rows = min(self.rows, width)  # the features beyond have no numbers yet
        return 0

    # -- from step to learner ---------------------------------------------------------------------

    cdef Py_ssize_t most(self, Py_ssize_t n) noexcept nogil:
        return n + self.n_centred

    cdef int pass_score(self, const Example* e, State last, double* out) noexcept nogil:
        cdef double few[FEW]
        cdef int32_t few_ids[FEW]
        cdef Pool pool
        cdef Example scaled
        cdef int status
        if self.most(e.n) <= FEW:
            self.rescale(e, &scaled, few, few_ids)
            return last.score(&scaled, out)
        if not fill_pool(&pool, self.most(e.n)):
            return NO_MEMORY
        self.rescale(e, &scaled, pool.values, pool.ids)
        status = last.score(&scaled, out)
        PyMem_RawFree(pool.values)
        return status

    cdef int pass_score_learn(self, const Example* e, State last, double* out) noexcept nogil:
        cdef Example scaled
        cdef int status
        scaled.values = NULL
        if not self.keeps_scale(e, &scaled):
            if scaled.values == NULL:
                return TransformerState.pass_score_learn(self, e, last, out)
            status = last.score(&scaled, out)
            return status if status != LEARNED else self.pass_learn(e, last)
        status = last.score_learn(&scaled, out)
        if status == LEARNED:
            self.count(e)
        return status

    cdef bint keeps_scale(self, const Example* e, Example* scaled) noexcept nogil:
        """Is the scale the same before and after this example is counted? `scaled` is the example by
        the scale before, in memory of this step; or it is left alone, if the answer was clear."""
        cdef int64_t found
        if self.make_room(e.n) != LEARNED or not is_small(e) or self.counted + 1.0 >= self.next_due:
            return False
        found = self.rescale(e, scaled, self.out.values, self.out.ids)
        self.open = found & OPEN
        return not found & FAR and not (self.open and self.is_due(e))

    cdef bint keeps_score(
        self, const Example* e, Example* scaled, const double* v, double* products
    ) noexcept nogil:
        """Is it a dense row of which `keeps_scale` is true, and all features are closed? Then this is
        it scaled, and its products with weights v and with itself."""
        cdef int64_t found
        if (e.ids != NULL or e.n > self.closed_to or not is_small(e)
                or self.counted + 1.0 >= self.next_due or not self.covers(e)
                or self.make_room(e.n) != LEARNED):
            return False
        found = onstream_standardise_score(
            self.out.values, products, e.values, self.kept[OFFSET], self.kept[FACTOR], v,
            self.kept[REACH], OUTLIER, e.n)
        scaled[0] = e[0]
        scaled.values = self.out.values
        scaled.codes = NULL
        scaled.peak = onstream_peak(scaled.values, e.n) if found & LARGE else OUTLIER
        self.open = False
        return not found & FAR

    cdef int pass_learn(self, const Example* e, State last) noexcept nogil:
        cdef Example scaled
        cdef int status = self.learn_scale(e, &scaled)
        if status != LEARNED:
            return status
        status = last.learn(&scaled)
        if status == LEARNED:
            self.count(e)
        else:
            self.undo()
        return status

    cdef int learn_scale(self, const Example* e, Example* scaled) noexcept nogil:
        """The example by offsets and factors that know it. It is not counted yet: `undo` goes back."""
        cdef int status = self.learn(e)
        if status != LEARNED:
            return status
        if self.rescale(e, scaled, self.out.values, self.out.ids) & FAR:
            self.renew_outliers(e, scaled)
            self.rescale(e, scaled, self.out.values, self.out.ids)
        return LEARNED

    cdef int learn(self, const Example* e) noexcept nogil:
        """Compute again what is due, as if the example had been counted."""
        self.n_old = 0
        self.old_next_due = self.next_due
        self.open = True
        if not is_small(e):
            return OVERFLOW
        if self.make_room(e.n) != LEARNED:
            return NO_MEMORY
        if self.is_due(e):
            self.renew_due(e)
        return LEARNED

    cdef int make_room(self, Py_ssize_t n) noexcept nogil:
        """Allocate what scaling n values and undoing that takes."""
        n += self.n_centred
        if n <= self.out_room and self.old != NULL:
            return LEARNED
        PyMem_RawFree(self.out.values)
        PyMem_RawFree(self.old)
        self.out_room = 2 * n
        self.old = <Overwritten*> PyMem_RawMalloc((2 * self.out_room + 1) * sizeof(Overwritten))
        if not fill_pool(&self.out, self.out_room) or self.old == NULL:
            self.out_room = 0
            return NO_MEMORY
        return LEARNED

    cdef void undo(self) noexcept nogil:
        cdef Overwritten* old
        while self.n_old > 0:
            self.n_old -= 1
            old = self.old + self.n_old
            self.kept[FACTOR][old.feature] = old.factor
            self.kept[DUE][old.feature] = old.due
            self.kept[REACH][old.feature] = old.reach
            self.move_offset(old.feature, old.offset)
        self.next_due = self.old_next_due

    # -- scaling ------------------------------------------------------------------------------------

    cdef int64_t rescale(
        self, const Example* e, Example* out, double* values, int32_t* ids
    ) noexcept nogil:
        """The scaled example, in this memory. It keeps its order if it has all centred features;
        otherwise these come first, then what else it has. Features that are not known yet stay.
        What was found, of OPEN and FAR."""
        cdef const double* offset = self.kept[OFFSET]
        cdef const double* factor = self.kept[FACTOR]
        cdef const double* closed = self.kept[CLOSED]
        cdef const double* reach = self.kept[REACH]
        cdef Py_ssize_t i, at, n = self.n_centred
        cdef int32_t id
        cdef int64_t found = 0
        cdef bint small = is_small(e)
        cdef double u
        out[0] = e[0]
        out.values = values
        out.codes = NULL
        if e.ids == NULL and small and self.covers(e):
            if e.n <= self.closed_to:
                closed = NULL
            found = onstream_standardise(
                values, e.values, offset, factor, closed, reach, OUTLIER, e.n)
            out.peak = onstream_peak(values, e.n) if found & LARGE else OUTLIER
            return found
        if e.ids != NULL and small and e.width <= self.rows and e.n >= n:
            at = 0
            found = onstream_standardise_sparse(
                values, &at, e.values, e.ids, offset, factor, closed, self.place, e.n)
            if at == n:  # it has all centred features, and keeps its order
                out.peak = onstream_peak(values, e.n)
                return found | self.look_far(out)
        if n > 0:
            memcpy(ids, self.centred, n * sizeof(int32_t))
            memcpy(values, self.zeros, n * sizeof(double))
        if e.ids != NULL and small and e.width <= self.rows:
            found = onstream_spell_out(
                values, ids, &n, e.values, e.ids, offset, factor, closed, self.place, e.n)
        else:
            for i in range(e.n):
                id, u = feature(e, i), e.values[i]
                at = 0
                if id < self.rows:
                    found |= OPEN
                    u = bounded(bounded(u - offset[id]) * factor[id])
                    at = self.place[id]
                if at == 0:
                    n += 1
                    at = n
                ids[at - 1] = id
                values[at - 1] = u
        out.ids = ids
        out.n = n
        out.peak = onstream_peak(values, n)
        return found | self.look_far(out)

    cdef int64_t look_far(self, const Example* scaled) noexcept nogil:
        """FAR if a value of the scaled example is out of reach, else 0."""
        cdef Py_ssize_t i
        cdef int32_t id
        if scaled.peak > OUTLIER:
            for i in range(scaled.n):
                id = scaled.ids[i]
                if id < self.rows and fabs(scaled.values[i]) > self.kept[REACH][id]:
                    return FAR
        return 0

    cdef bint covers(self, const Example* e) noexcept nogil:
        """Does the dense example have all centred features, and none that is unknown?"""
        return e.n <= self.rows and (
            self.n_centred == 0 or self.centred[self.n_centred - 1] < e.n)

    cdef int transform(self, const Example* e, Example* out, Pool* pool) noexcept nogil:
        self.rescale(e, out, pool.values, pool.ids)
        return LEARNED

    # -- offsets and factors ------------------------------------------------------------------------

    cdef bint is_due(self, const Example* e) noexcept nogil:
        """Is any offset or factor to be computed again, with this example?"""
        if self.counted + 1.0 >= self.next_due:
            return True
        return onstream_any_due(
            e.values, e.ids, self.kept[COUNT], self.kept[DUE], self.kept[OFFSET], e.n)

    cdef bint is_due_alone(self, int32_t i) noexcept nogil:
        """Is feature i, which is not centred, due with one more value?"""
        return self.kept[COUNT][i] + 1.0 >= self.kept[DUE][i] and self.kept[OFFSET][i] == 0.0

    cdef void renew_due(self, const Example* e) noexcept nogil:
        cdef Py_ssize_t i
        cdef int32_t id
        cdef double x
        cdef double* values = self.out.values
        if self.counted + 1.0 >= self.next_due:
            self.next_due = due_after(self.counted + 1.0)
            for i in range(self.n_centred):  # what the example has of the centred features
                values[i] = 0.0
            for i in range(e.n):
                id = feature(e, i)
                if self.kept[OFFSET][id] != 0.0:
                    values[self.place[id] - 1] = e.values[i]
            for i in range(self.n_centred - 1, -1, -1):  # backwards: it may leave the list
                id = self.centred[i]
                self.renew(id, values[i], self.kept[DUE][id])
        for i in range(e.n):
            id, x = feature(e, i), e.values[i]
            if x != 0.0 and self.is_due_alone(id):
                self.renew(id, x, due_after(self.kept[COUNT][id] + 1.0))

    cdef void renew_outliers(self, const Example* e, const Example* scaled) noexcept nogil:
        """The scale of a value far out is no longer what it was. Of a feature that the example lacks
        the value is 0."""
        cdef const double* offset = self.kept[OFFSET]
        cdef const double* factor = self.kept[FACTOR]
        cdef const double* reach = self.kept[REACH]
        cdef bint spelled_out = scaled.ids == self.out.ids
        cdef Py_ssize_t i, n = self.n_centred if spelled_out else 0
        cdef int32_t id
        cdef double u
        for i in range(n):  # centred features that are 0
            id, u = scaled.ids[i], scaled.values[i]
            if fabs(u) > reach[id] and u == -offset[id] * factor[id]:
                self.renew(id, 0.0, self.kept[DUE][id])
        for i in range(e.n):
            id, u = feature(e, i), e.values[i]
            if (u != 0.0 or not spelled_out) and fabs((u - offset[id]) * factor[id]) > reach[id]:
                self.renew(id, u, self.kept[DUE][id])

    cdef void renew(self, int32_t i, double x, double due) noexcept nogil:
        """Compute offset and factor of feature i with one more value, which is counted later."""
        cdef Overwritten* old = self.old + self.n_old
        cdef double total = self.counted + 1.0
        cdef double count = self.kept[COUNT][i]
        cdef double mean = self.kept[MEAN][i]
        cdef double square = self.kept[SQUARE][i]
        cdef double far, share, weight = 0.0, offset, variance, unit = 0.0
        if x != 0.0:
            count += 1.0
            far = x - mean
            mean += far / count
            square += far * (x - mean)
        old.feature, old.offset, old.factor, old.due, old.reach = (
            i, self.kept[OFFSET][i], self.kept[FACTOR][i], self.kept[DUE][i], self.kept[REACH][i])
        self.n_old += 1
        share = min(1.0, count / total)
        if self.centres and total > 1.0:
            weight = min(1.0, max(0.0, (share - RARE) / (USUAL - RARE)))
        offset = weight * share * mean
        variance = square / count if count > 0.0 else 0.0
        if not variance > NOISE * mean * mean:
            variance = 0.0
        # Squares from the offset: of all examples, or only of those that have the feature.
        variance = (share * (variance + (mean - offset) ** 2) + weight * (1.0 - share) * offset**2) / (
            share + weight * (1.0 - share)) if share > 0.0 else 0.0
        self.kept[DUE][i] = due
        if share > 0.0:
            unit = pow(share, -0.25 * (1.0 - weight))
        self.kept[FACTOR][i] = unit / sqrt(variance) if variance > LEAST else 0.0
        self.kept[REACH][i] = unit * max(OUTLIER, 0.25 * sqrt(count))
        self.move_offset(i, offset)

    cdef void move_offset(self, int32_t i, double offset) noexcept nogil:
        """Set an offset; a feature that has one is in the list of the centred ones."""
        cdef double before = self.kept[OFFSET][i]
        cdef Py_ssize_t at, low = 0, high = self.n_centred
        self.kept[OFFSET][i] = offset
        if (before != 0.0) != (offset != 0.0):
            while low < high:
                at = (low + high) // 2
                if self.centred[at] < i:
                    low = at + 1
                else:
                    high = at
            if offset != 0.0:
                at = self.n_centred - low
                memmove(self.centred + low + 1, self.centred + low, at * sizeof(int32_t))
                memmove(self.zeros + low + 1, self.zeros + low, at * sizeof(double))
                self.centred[low] = i
                self.n_centred += 1
            else:
                self.n_centred -= 1
                at = self.n_centred - low
                memmove(self.centred + low, self.centred + low + 1, at * sizeof(int32_t))
                memmove(self.zeros + low, self.zeros + low + 1, at * sizeof(double))
                self.place[i] = 0
            for at in range(low, self.n_centred):
                self.place[self.centred[at]] = <int32_t> at + 1
        if offset != 0.0:
            self.zeros[self.place[i] - 1] = -offset * self.kept[FACTOR][i]
        self.close(i)

    cdef void close(self, int32_t i) noexcept nogil:
        """Note whether an example that is no part of the sample can go by without a look at i."""
        cdef double count = self.kept[COUNT][i]
        cdef bint closed = count >= MANY and (
            self.kept[OFFSET][i] != 0.0 or count + 1.0 < self.kept[DUE][i])
        self.kept[CLOSED][i] = closed
        if not closed:
            self.closed_to = min(self.closed_to, i)

    cdef void count(self, const Example* e) noexcept nogil:
        """Count an example that was learned."""
        cdef Py_ssize_t i
        cdef int32_t id
        cdef bint sampled
        cdef double weight
        cdef double* count = self.kept[COUNT]
        self.seen += 1
        sampled = (<uint64_t> self.seen * SPREAD) >> 61 == 0  # no period of the stream can match it
        weight = EIGHTH if sampled else 0.0
        if not (sampled or self.open or self.counted < MANY):
            return
        if e.ids == NULL:
            if onstream_count(
                    count, self.kept[MEAN], self.kept[SQUARE], self.kept[CLOSED], e.values,
                    self.kept[OFFSET], self.kept[DUE], MANY, weight, e.n):
                self.closed_to = max(self.closed_to, e.n)
            else:
                self.closed_to = 0
        else:
            for i in range(e.n):
                id = e.ids[i]
                if e.values[i] != 0.0 and (sampled or count[id] < MANY):
                    add_value(
                        count + id, self.kept[MEAN] + id, self.kept[SQUARE] + id, e.values[i],
                        weight if count[id] >= MANY else 1.0)
                    self.close(id)
        self.counted += 1.0 if self.counted < MANY else weight

    # -- files ----------------------------------------------------------------------------------------

    cdef Py_ssize_t backup_bytes(self) noexcept:
        return N_KEPT * self.rows * sizeof(double)

    def export_own(self):
        cdef Py_ssize_t width = self.features.width, k
        self.reserve(width)
        scales = np.empty((N_KEPT, width))
        for k in range(N_KEPT):
            if width:
                memcpy(doubles(scales) + k * width, self.kept[k], width * sizeof(double))
        return {"counted": self.counted, "next_due": self.next_due, "scales": scales}

    def restore_own(self, fields):
        cdef Py_ssize_t width = self.features.width, k, i
        self.reserve(width)
        self.counted = fields.number("counted", 0.0, 2.0**61)
        self.next_due = fields.number("next_due", 0.0, 2.0**62)
        scales = np.ascontiguousarray(fields.array("scales", (N_KEPT, width)))
        if (scales[[COUNT, SQUARE, FACTOR, DUE, REACH]] < 0.0).any():
            raise ValueError("scales holds counts or deviations that cannot be")
        if not self.centres and scales[OFFSET].any():
            raise ValueError("scales holds offsets without an intercept")
        for i in range(self.rows):  # what was there goes
            self.kept[OFFSET][i] = 0.0
        self.n_centred = 0
        for k in range(N_KEPT):
            for i in range(self.room):
                self.kept[k][i] = 0.0
            if width and k != OFFSET:
                memcpy(self.kept[k], doubles(scales) + k * width, width * sizeof(double))
        for i in range(width):
            self.move_offset(<int32_t> i, doubles(scales)[OFFSET * width + i])
        for i in range(width, self.room):
            self.kept[CLOSED][i] = 0.0
        self.closed_to = 0

    def own_bytes(self):
        return TransformerState.own_bytes(self) + (
            self.room * ((N_ROWS + 1) * sizeof(double) + 2 * sizeof(int32_t))
            + 2 * self.out_room * sizeof(Overwritten))


cdef inline bint is_small(const Example* e) noexcept nogil:
    """Can the squares of all values be summed? The peak may be that of a block."""
    return e.peak < LARGEST or onstream_peak(e.values, e.n) < LARGEST


cdef inline void add_value(
    double* count, double* mean, double* square, double x, double weight
) noexcept nogil:
    """Welford's update, as onstream_count does it."""
    cdef double far = x - mean[0]
    count[0] += weight
    mean[0] += far * (weight / count[0])
    square[0] += weight * (far * (x - mean[0]))


cdef inline double due_after(double count) noexcept nogil:
    return count + 1.0 + floor(count / 5.0)
