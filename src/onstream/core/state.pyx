"""What an algorithm implements, and nothing else: its numbers, and how an example changes them.

A state sees examples as numbers (`Example`), without the GIL. Locking, user input, labels, steps
before it and blocks of rows belong to the `Model` that holds it (model.pyx, batch.pyx). One model
may hold many states, as an ensemble does.
"""

from sys import getsizeof

from .encoder cimport Encoder
from .example cimport LEARNED, Example
from .sources cimport Source
from .task cimport Task


cdef class State:
    # -- what an algorithm implements -----------------------------------------------------------

    cdef Py_ssize_t outputs(self) noexcept nogil:
        """The number of values that `score` writes."""
        return 1

    cdef int reserve(self, Py_ssize_t width) except -1:
        """Make room for features 0 ... width-1."""
        return 0

    cdef int score(self, const Example* e, double* out) noexcept nogil:
        """Decision values of the example: LEARNED, NO_MEMORY or FAILED. Changes nothing."""
        return LEARNED

    cdef int learn(self, const Example* e) noexcept nogil:
        """Learn the example: LEARNED; or OVERFLOW, NO_MEMORY or FAILED, and nothing is changed."""
        return LEARNED

    cdef int score_learn(self, const Example* e, double* out) noexcept nogil:
        """Test, then train. Override it where one pass can do both."""
        cdef int status = self.score(e, out)
        return status if status != LEARNED else self.learn(e)

    def export_own(self):
        """What was learned: numbers, arrays and nested dicts of them."""
        return {}

    def restore_own(self, fields):
        """Restore what `export_own` exported (a `StateReader`). Features and labels are known."""

    def memory(self):
        """Bytes in use; subclasses add their own."""
        return getsizeof(self)

    # -- what a few of them need ----------------------------------------------------------------

    def configure(self, Encoder encoder):
        """Set options of the encoder, if no step stands between it and this state."""

    cdef int connect(self, Encoder features, Encoder encoder) except -1:
        """Use the numbering of `features`; `encoder` is where examples come in."""
        self.features = features
        return 0

    cdef int shrink(self, Py_ssize_t width) except -1:
        """Features from `width` on were rolled back: forget what `reserve` derived from their names."""
        return 0

    cdef int catch_up(self) except -1:
        """It begins while others have learned already: make room for the nominal values there are."""
        return 0

    def reset_schedule(self):
        """Restart the schedule of rates with the next example."""
        self.start = self.seen

    cdef Py_ssize_t prepare(self, Py_ssize_t rows) except -1:
        """Call the user's functions for the next rows (only if `calls_user_code`). Returns how many
        of them can be learned; if not all, `refusal` says why."""
        return rows

    def refusal(self):
        """The error for the first row that `prepare` could not prepare, or that has FAILED."""

    cdef void tested(self, const double* scores) noexcept nogil:
        """Receive the scores of the next example before any step learns it (only if `tests_first`).
        NULL: the example does not come."""

    def doubt(self):
        """What to warn of after learning (only if `doubtful`): a kind and a sentence."""

    def minds_scales(self):
        """Does it learn badly where some features are much larger than others?"""
        return False

    cdef Py_ssize_t backup_bytes(self) noexcept:
        """Bytes that `export_own` copies, if `restore_own` can undo learning with them; -1: not."""
        return -1

    cdef Py_ssize_t run(self, Source source, Py_ssize_t start, Py_ssize_t stop, const Task* task, Py_ssize_t known) noexcept nogil:
        """Learn rows in a loop of its own (only if `runs`). Returns the first row that it leaves to
        the general loop (one that brings features beyond `known`, say); -1: not for this task."""
        return -1

    cdef Py_ssize_t learn_rows(
        self, Source source, Py_ssize_t start, Py_ssize_t stop, const Task* task, Py_ssize_t known, double* out
    ) noexcept nogil:
        """`score_learn` of up to `together` rows at a time (only if `learns_rows`), the scores to
        `out` unless it is NULL; bit for bit the same. Returns how many; 0: the first one is for the
        general loop (it brings features beyond `known`, say)."""
        return 0

    cdef int score_rows(self, Source source, Py_ssize_t start, Py_ssize_t n, double* out) noexcept nogil:
        """`score` of n rows, at most `together`, where that saves work; bit for bit the same."""
        return LEARNED
