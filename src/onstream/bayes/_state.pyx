"""What naive Bayes learners share: the prior, the joint of label and example, unlearning.

A learner writes `joints` (ln P(label, x) for every label), `add_example` and `remove_example`, which
change its tables, and `more_labels` and `more_features`, which make room in them.
"""

from libc.math cimport fabs, log

from ..core.arrays cimport fill, floats
from ..core.classifier cimport ClassifierModel, ClassifierState
from ..core.encoder cimport Encoder, RowBuffer
from ..core.example cimport LEARNED, OVERFLOW, Example, feature
from ..core.feature_index cimport ALL
from ..core.memory cimport release, resize, roomier
from ..core.scores cimport sigmoids, softmax

from ..core.coerce import coerce_weight

LOG_ZERO = -1e300
HEAVIEST = 1e50
LARGEST = 1e120


cdef class NaiveBayesState(ClassifierState):
    def __cinit__(self, double prior_alpha, double alpha, *parameters):
        self.prior_alpha, self.alpha = prior_alpha, alpha

    def __dealloc__(self):
        release(self.counts)
        release(self.log_counts)

    cdef Py_ssize_t outputs(self) noexcept nogil:
        return self.n_labels if self.n_labels > 2 else 1

    cdef int set_labels(self, Py_ssize_t n) except -1:
        cdef Py_ssize_t old = self.room_labels, room
        if n > old:
            room = n if old == 0 else roomier(old, n)
            self.counts = <double*> resize(self.counts, old * sizeof(double), room * sizeof(double))
            self.log_counts = <double*> resize(
                self.log_counts, old * sizeof(double), room * sizeof(double))
            self.more_labels(old, room)
            self.room_labels = room
        self.refresh_prior()
        return 0

    cdef int more_labels(self, Py_ssize_t old, Py_ssize_t new) except -1:
        """Room for `new` labels where there was room for `old`. If memory fails, all is as before."""
        return 0

    cdef int reserve(self, Py_ssize_t width) except -1:
        cdef Py_ssize_t room
        if width > self.room:
            room = width if self.room == 0 else roomier(self.room, width)
            self.more_features(self.room, room)
            self.room = room
        return 0

    cdef int more_features(self, Py_ssize_t old, Py_ssize_t new) except -1:
        """Room for `new` features where there was room for `old`."""
        return 0

    # -- the prior ------------------------------------------------------------------------------

    cdef void refresh_prior(self) noexcept nogil:
        cdef Py_ssize_t k
        for k in range(self.n_labels):
            self.log_counts[k] = log_or_zero(self.counts[k] + self.prior_alpha)
        self.refresh_total()

    cdef void refresh_total(self) noexcept nogil:
        """The odds of two labels do not need it."""
        if self.n_labels > 2:
            self.log_total = log_or_zero(self.total + self.prior_alpha * self.n_labels)

    cdef void count(self, Py_ssize_t k, double w) noexcept nogil:
        """Weight w more for label k."""
        self.counts[k] += w
        self.total += w
        self.log_counts[k] = log_or_zero(self.counts[k] + self.prior_alpha)
        self.refresh_total()

    cdef double log_prior(self, Py_ssize_t k) noexcept nogil:
        """ln((N_k + a) / (N + a labels)), or of two labels ln(N_k + a); 0 before any example."""
        if self.total == 0.0:
            return 0.0
        if self.log_counts[k] == LOG_ZERO:
            return LOG_ZERO
        return self.log_counts[k] - (self.log_total if self.n_labels > 2 else 0.0)

    # -- scores -----------------------------------------------------------------------------------

    cdef void joints(self, const Example* e, double* out) noexcept nogil:
        """ln P(label, x) for every label; never below -1e308."""

    cdef int score(self, const Example* e, double* out) noexcept nogil:
        """Two labels: the log-odds of the one coded +1. More: the joints."""
        cdef double both[2]
        if self.n_labels > 2:
            self.joints(e, out)
        elif self.n_labels == 2:
            self.joints(e, both)
            out[0] = self.first_sign * (both[0] - both[1])
        else:
            out[0] = 0.0
        return LEARNED

    cdef void link(self, const double* scores, double* out) noexcept nogil:
        if self.n_labels == 2:
            sigmoids(scores[0], self.first_sign, out)
        else:
            softmax(scores, out, self.n_labels)

    # -- learning and unlearning --------------------------------------------------------------------

    cdef int learn(self, const Example* e) noexcept nogil:
        if too_large(e, LARGEST) or not self.total + e.weight <= HEAVIEST:
            return OVERFLOW
        if self.add_example(e, e.weight) != LEARNED:
            return OVERFLOW
        self.count(e.label, e.weight)
        return LEARNED

    cdef int add_example(self, const Example* e, double w) noexcept nogil:
        """Put the example into the tables. `counts` are still those before it."""
        return OVERFLOW

    cdef int remove_example(self, const Example* e, double w) noexcept nogil:
        """Take the example out of the tables; OVERFLOW, and nothing changed, if it is not in.

        Features from `features.width` on are not known, so no example that was learned has them.
        """
        return OVERFLOW

    cdef bint lacks(self, const Example* e, double w) noexcept nogil:
        """Does the example lack a feature that all others with its label have?

        Then it was never learned. All others have it if without w too little weight is left for
        one that has not; half of w is for rounding.
        """
        cdef Py_ssize_t i, id, lacking = 0
        cdef double others = self.counts[e.label] - 0.5 * w
        for id in range(min(self.features.width, self.room)):
            lacking += self.weight_with(id, e.label) > others
        for i in range(e.n):
            id = feature(e, i)
            if self.present(e.values[i]) and id < self.features.width:
                lacking -= self.weight_with(id, e.label) > others
        return lacking > 0

    cdef double weight_with(self, Py_ssize_t id, Py_ssize_t k) noexcept nogil:
        """Weight of the examples with label k that have the feature."""
        return 0.0

    cdef bint present(self, double x) noexcept nogil:
        """Does an example have a feature of this value?"""
        return x == x

    cdef int unlearn(self, const Example* e, object y) except -1:
        if (
            self.seen == 0 or e.label < 0 or not contains(self.counts[e.label], e.weight)
            or self.remove_example(e, e.weight) != LEARNED
        ):
            raise ValueError(
                f"{self.who}: this example with label {y!r:.40} and weight {e.weight:g} was never "
                f"learned, so it cannot be unlearned."
            )
        self.counts[e.label] = subtract(self.counts[e.label], e.weight)
        self.total = subtract(self.total, e.weight)
        self.refresh_prior()
        self.seen -= 1
        self.start = min(self.start, self.seen)
        return 0

    # -- state ------------------------------------------------------------------------------------------

    def export_own(self):
        return {"counts": floats(self.counts, self.n_labels), "total": self.total}

    def restore_own(self, fields):
        counts = fields.array("counts", (self.n_labels,))
        if (counts < 0.0).any():
            raise ValueError("counts has a negative number")
        fill(self.counts, counts)
        self.total = fields.number("total", 0.0)
        self.refresh_prior()

    def memory(self):
        return ClassifierState.memory(self) + 2 * self.room_labels * sizeof(double)


cdef class NaiveBayesModel(ClassifierModel):
    """A model that can also unlearn."""

    def unlearn_one(self, x, y, w):
        """Take one example back."""
        cdef double weight = coerce_weight(self.who, w)
        cdef Encoder encoder
        cdef RowBuffer* row
        cdef Example e
        y = self.coerce_target(y)
        x = self.encoder.coerce(x)
        self.lock.acquire_one()
        try:
            encoder = self.encoder
            row = encoder.acquire_row(16, 0)
            try:
                try:
                    encoder.read(x, ALL, row, &e)
                finally:
                    encoder.rollback()  # what is not known stays unknown: `remove_example` refuses it
                e.width, e.weight = encoder.width, weight
                self.encode_target(y, False, &e)
                if weight > 0.0:
                    (<NaiveBayesState> self.state).unlearn(&e, y)
            finally:
                encoder.release_row(row)
        finally:
            self.lock.release_one()


cdef double log_or_zero(double x) noexcept nogil:
    return log(x) if x > 0.0 else LOG_ZERO


cdef bint too_large(const Example* e, double limit) noexcept nogil:
    """Is a value larger than that? The peak may be that of a whole block."""
    cdef Py_ssize_t i
    if e.peak > limit:
        for i in range(e.n):
            if fabs(e.values[i]) > limit:
                return True
    return False


cdef bint contains(double sum, double w) noexcept nogil:
    """Can w have gone into this sum?"""
    return w <= sum * (1.0 + 1e-12)


cdef double subtract(double sum, double w) noexcept nogil:
    """sum - w, or 0 where only rounding is left."""
    cdef double left = sum - w
    return left if left > 1e-12 * sum else 0.0
