"""What an algorithm implements, and nothing else: its numbers, and what an example changes in them.

A state sees examples as numbers (`Example`), without the GIL. Who may call it, what the user passed,
labels, steps before it and blocks of rows are the affair of the `Model` that holds it (model.pyx);
an ensemble may hold many.
"""

from sys import getsizeof

from .encoder cimport Encoder
from .example cimport LEARNED, Example
from .sources cimport Source
from .task cimport Task


cdef class State:
    def __cinit__(self, *args, **kwargs):
        self.who = None
        self.features = None
        self.seen = self.start = 0
        self.behind_steps = self.calls_user_code = self.tests_first = self.doubtful = self.runs = False

    # -- what an algorithm implements -----------------------------------------------------------

    cdef Py_ssize_t outputs(self) noexcept nogil:
        """How many numbers `score` writes."""
        return 1

    cdef int reserve(self, Py_ssize_t width) except -1:
        """Make room for features 0 ... width-1."""
        return 0

    cdef int score(self, const Example* e, double* out) noexcept nogil:
        """Decision values of the example: LEARNED, or NO_MEMORY. Changes nothing."""
        return LEARNED

    cdef int learn(self, const Example* e) noexcept nogil:
        """Learn the example: LEARNED; or OVERFLOW or NO_MEMORY, and nothing is changed."""
        return LEARNED

    cdef int score_learn(self, const Example* e, double* out) noexcept nogil:
        """Test, then train. Override it where one pass can do both."""
        cdef int status = self.score(e, out)
        return status if status != LEARNED else self.learn(e)

    def export_own(self):
        """What was learned: numbers, arrays and nested dicts of them."""
        return {}

    def restore_own(self, fields):
        """Take over what `export_own` gave (a `StateReader`); features and labels are known already."""

    def memory(self):
        """Bytes held; subclasses add their own."""
        return getsizeof(self)

    # -- what few of them need ------------------------------------------------------------------

    def configure(self, Encoder encoder):
        """What this state wants of the encoder, where no step stands between them."""

    cdef int connect(self, Encoder features, Encoder encoder) except -1:
        """The features of this state are those of `features`; examples come in at `encoder`."""
        self.features = features
        return 0

    cdef int shrink(self, Py_ssize_t width) except -1:
        """Features from `width` on never came: what `reserve` made of their names may be wrong."""
        return 0

    def reset_schedule(self):
        """Rates begin anew with the next example."""
        self.start = self.seen

    cdef Py_ssize_t prepare(self, Py_ssize_t rows) except -1:
        """Ask the user's functions about the next rows (only if `calls_user_code`). How many of them can
        be learned; if not all, `refusal` says why."""
        return rows

    def refusal(self):
        """The error for the first row that `prepare` could not provide for."""

    cdef void tested(self, const double* scores) noexcept nogil:
        """The scores of the next example to learn, before any step has learned it (only if
        `tests_first`). NULL: it does not come."""

    def doubt(self):
        """What to warn of, now that examples were learned: a kind, and a sentence."""

    cdef Py_ssize_t backup_bytes(self) noexcept:
        """Bytes that `export_own` copies, if `restore_own` can take them back at any time; else -1."""
        return -1

    cdef Py_ssize_t run(self, Source source, Py_ssize_t start, Py_ssize_t stop, const Task* task, Py_ssize_t known) noexcept nogil:
        """Learn and answer rows by a loop of its own (only if `runs`): the first row left to the
        usual loop, as are all that bring features beyond `known`. -1: it is not for this task."""
        return -1
