from libc.stdint cimport int32_t


cdef class LabelCodes:
    cdef readonly list labels  # in order of appearance
    cdef dict numbers          # number of each label
    cdef set occurred          # numbers of the labels that were true once, not only predicted
    cdef object expected       # a label of the kind that all must be of; None: any kind

    cpdef int32_t of(self, object y) except -2
    cdef int same_kind(self, object label) except -1
    cdef int note_true(self, object a) except -1
    cdef int encode_columns(self, object y, object predictions, object a, object b) except -1
    cdef int encode_whole(
        self, object y, object predictions, object a, object b, long long low, Py_ssize_t width
    ) except -1
    cdef bint encode_text(self, object y, object predictions, object a, object b) except -1
    cdef int encode_objects(self, list y, list predictions, object a, object b) except -1
