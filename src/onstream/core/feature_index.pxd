from libc.stdint cimport int32_t, uint64_t


# Which features a row may use or add.
cdef enum NewFeatures:
    KNOWN   # to predict: none may be added, and only committed ones count
    MET     # a row of weight 0 in a block: none may be added, uncommitted ones count
    ALL     # to learn: new ones are added


cdef enum:
    MISSING = -1  # lookup: a feature that is not known
    AGAIN = -2    # lookup: not a str or int; the row must be coerced first
    UNASKED = -9  # not looked up yet
    PER_COLUMN = 92  # bytes of a feature without a name, where memory is limited


cdef class FeatureIndex:
    cdef readonly str who         # class name of the learner, for error messages
    cdef int bits                 # features are hashed to 2**bits slots; -1: they are named
    cdef uint64_t seed            # of the hash
    cdef bint unsigned            # hashed features all have the sign +1
    cdef dict ids                 # named: feature -> id
    cdef list names               # named: features number `implicit`, `implicit` + 1, ...
    cdef Py_ssize_t implicit      # features 0 ... implicit-1 are columns 0 ... implicit-1
    cdef readonly Py_ssize_t width  # features the model knows; later ones are uncommitted
    cdef Py_ssize_t columns       # columns of the arrays learned so far; -1: none yet
    # Set by learners that branch on nominal values.
    cdef readonly bint nominal    # a string is a nominal value, not the feature `name=value`
    cdef object categorical       # features whose numbers are nominal, too: a set of names, or True
    cdef dict categories          # nominal features: id -> {value: its number}
    cdef list new_values          # (id, value, row) uncommitted, in the order of the rows
    # `most_named` is set by a learner with a limit of memory.
    cdef Py_ssize_t most_named    # bytes; names and values beyond are ignored; 0: no limit
    cdef Py_ssize_t named         # bytes of names and nominal values, if there is a limit
    cdef Py_ssize_t row           # number of the row being read, in a block
    # For warnings about the data (doubts.py).
    cdef dict fresh               # text column -> the number of its features name=value
    cdef bint suspect             # a column has brought many: check it
    cdef set columns_met          # columns of the first `listed` names; of name=value, the name
    cdef Py_ssize_t listed
    cdef readonly object wanted   # names that the first step selects; None: it takes all

    cdef int32_t lookup(self, object key, object value, NewFeatures new_features, double* sign) except -3
    cdef int32_t lookup_nominal(self, object key, bint text, NewFeatures new_features) except -3
    cdef int32_t code(self, int32_t id, object value, NewFeatures new_features) except -3
    cdef bint fits(self, object name, Py_ssize_t more) except -1
    cdef int tally(self, object name, Py_ssize_t more, int times) except -1
    cpdef bint codes_numbers(self)
    cdef int32_t slot(self, uint64_t name_hash, double* sign) noexcept nogil
    cdef uint64_t hash_name(self, object key, object value) except? 0
    cdef int32_t find(self, object name) except -2
    cdef int32_t add(self, object name) except -1
    cdef int count_fresh(self, str column, Py_ssize_t more) except -1
    cdef int rollback(self) except -1
    cdef int drop(self, Py_ssize_t features, Py_ssize_t values) except -1
    cdef int commit(self, Py_ssize_t width, Py_ssize_t row=*) except -1
    cdef int check_columns(self, Py_ssize_t n) except -1
    cdef int column_map(self, list names, Py_ssize_t n, NewFeatures new_features, int32_t* ids, double* signs) except -1
    cdef Py_ssize_t width_after_commit(self, NewFeatures new_features) noexcept
