from libc.stdint cimport int64_t

from ..core.encoder cimport Encoder
from ..ensemble._committee cimport Committee
from ..ensemble._member cimport Member


cdef struct Merits:
    bint asleep          # it neither votes nor learns
    double right         # faded: how often it was right (of numbers: its squared errors),
    double asked         # and how often it was asked
    double lately        # the same of the most recent past
    double asked_lately
    double use           # faded: how much worse a mixture would have been without it
    double of_answer     # its weights in a mixture: of the label it names,
    double of_odds       # and of its log odds


cdef class EvolvingMember(Member):
    cdef Merits merits
    cdef object space
    cdef readonly object learner  # a template of what it is now
    cdef readonly dict genes      # its place in the space
    cdef double lam               # how often it learns an example, on average; 0: once
    cdef readonly int64_t number  # of all births
    cdef readonly int64_t born    # after so many examples
    cdef public list orders       # what became of it, for who has its model; None: it is here

    cdef void write_vote(self, bint none, const double* scores, double* out) noexcept nogil


cdef inline Merits* merits_of(void* member) noexcept nogil:
    """What is known of a member of a committee."""
    return &(<EvolvingMember> member).merits


cdef int configure(Encoder encoder, space) except -1
cdef int look_again(Committee committee) except -1
cdef void end_turn(
    search, Committee committee, Encoder features, Py_ssize_t width, int64_t t, Py_ssize_t n_labels
) noexcept nogil
