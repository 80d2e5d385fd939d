from libc.stdint cimport int64_t, uint32_t, uint64_t


cdef enum Flaw:
    FINE
    BLANK         # nothing on the line
    NO_LABEL
    BAD_LABEL
    BAD_WEIGHT
    BAD_INDEX
    BAD_VALUE     # not a number
    INFINITE
    NO_FEATURES
    NO_NAME
    LONG_NAMES
    BAD_TEXT      # not UTF-8
    OUT_OF_MEMORY
    LATE_WEIGHT   # weights began in the middle of the stream
    BAD_COUNT     # ARFF: too few or too many values
    UNKNOWN_VALUE  # ARFF: not among the declared ones
    OPEN_QUOTE
    UNUSUAL       # not for the quick parser


cdef struct Reject:
    int64_t line         # number of the line, from 0 in the block
    Py_ssize_t start     # the line in the text
    Py_ssize_t stop
    Py_ssize_t word      # the word to blame
    Py_ssize_t word_stop
    Flaw flaw


cdef class SparseText:
    cdef bint integers         # names are whole numbers
    cdef bint naming           # write the names, too
    cdef uint32_t* marks       # places in a line
    cdef Py_ssize_t room_marks
    cdef double* targets       # of each row
    cdef double* weights       # of each row
    cdef int64_t* starts       # where its entries begin
    cdef Py_ssize_t rows
    cdef Py_ssize_t room_rows
    cdef double* values        # of each entry
    cdef uint64_t* hashes
    cdef int64_t* name_starts
    cdef Py_ssize_t entries
    cdef Py_ssize_t room
    cdef unsigned char* names  # bytes of all names
    cdef Py_ssize_t letters
    cdef Py_ssize_t room_letters
    cdef Reject* rejects
    cdef Py_ssize_t n_rejects
    cdef readonly int64_t lines  # read so far
    cdef Py_ssize_t room_rejects
    cdef const char* text      # the block being parsed
    cdef const char* word      # what a flaw is about
    cdef const char* word_stop
    cdef bint weighted         # a weight was given
    cdef bint starved          # no memory to record what is wrong

    cdef Flaw quick(self, const char* p, const char* end) noexcept nogil
    cdef Flaw line(self, const char* p, const char* end) noexcept nogil
    cdef void parse_lines(self, const char* p, const char* end, bint stop_early) noexcept nogil
    cdef Py_ssize_t mark(self, const char* p, const char* end) noexcept nogil
    cdef bint name(self, const char* prefix, Py_ssize_t m, const char* text, Py_ssize_t n) noexcept nogil
    cdef Flaw number(self, const char** p, const char* end, double* value) noexcept nogil
    cdef bint more_entries(self, Py_ssize_t n) noexcept nogil
    cdef bint more_letters(self, Py_ssize_t n) noexcept nogil
    cdef bint more_rows(self) noexcept nogil
    cdef bint more_rejects(self) noexcept nogil


cdef bint grown(void** block, Py_ssize_t size) noexcept nogil
cdef bint set_room(Py_ssize_t* room, Py_ssize_t size) noexcept nogil
