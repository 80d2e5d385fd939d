from libc.stdint cimport int32_t, int64_t, uint8_t

from ..ensemble._ensemble cimport LabelEnsembleState


cdef class EvolvingLabelState(LabelEnsembleState):
    cdef readonly object search
    cdef int rule
    cdef int64_t interval         # 0: nothing is replaced
    cdef double fading
    cdef bint votes_only          # members are judged elsewhere
    cdef uint8_t* come            # whether each label has come; others were only declared
    cdef Py_ssize_t room          # labels that fit
    cdef Py_ssize_t n_come

    cdef Py_ssize_t best(self) noexcept nogil
    cdef double trust(self, Py_ssize_t m) noexcept nogil
    cdef void weigh(self, double* votes, Py_ssize_t stride, double* z) noexcept nogil
    cdef void answer(self, const double* votes, Py_ssize_t stride, double* z, double* out) noexcept nogil
    cdef void judge(self, double* votes, Py_ssize_t stride, double* z, int32_t label) noexcept nogil
    cdef void miss(self, const double* votes, Py_ssize_t stride, const double* z, int32_t label) noexcept nogil
    cdef void shift_weights(
        self, Py_ssize_t m, const double* p, const double* z, int32_t pick, int32_t label
    ) noexcept nogil
    cdef int64_t until_turn(self) noexcept nogil
