from libc.stdint cimport int32_t, uint64_t


cdef enum NewFeatures:
    KNOWN   # to predict: features the model knows
    MET     # a row of weight 0 in a block: also those that earlier rows have brought
    ALL     # to learn: new features, too


cdef enum:
    MISSING = -1  # lookup: a feature that is not known
    AGAIN = -2    # lookup: not a plain name
    UNASKED = -9  # not looked up yet
    PER_COLUMN = 92  # bytes of a feature without a name, under a limit


cdef class FeatureIndex:
    cdef str who                  # class name of the learner, for error messages
    cdef int bits                 # features are hashed to 2**bits slots; -1: they are named
    cdef uint64_t seed            # of the hash
    cdef bint unsigned            # hashed features all have the sign +1
    cdef dict ids                 # named: feature -> id
    cdef list names               # named: features number `implicit`, `implicit` + 1, ...
    cdef Py_ssize_t implicit      # features 0 ... implicit-1 are columns 0 ... implicit-1
    cdef Py_ssize_t width         # features the model knows; later ones are uncommitted
    cdef Py_ssize_t columns       # columns of the arrays learned so far; -1: none yet
    # Learners that branch on nominal values set these when they are made.
    cdef bint nominal             # a string is a nominal value, not the feature `name=value`
    cdef object categorical       # features whose numbers are nominal, too: a set of names, or True
    cdef dict categories          # nominal features: id -> {value: its number}
    cdef list new_values          # (id, value, row) uncommitted, in the order of the rows
    # A learner with a limit of memory sets `most_named` when it is made.
    cdef Py_ssize_t most_named    # names and values that would take more are as if absent; 0: no limit
    cdef Py_ssize_t named         # bytes of names and nominal values, if there is a limit
    cdef Py_ssize_t row           # number of the row being read, in a block
    # What doubts about the data go by (doubts.py).
    cdef dict fresh               # text columns: how many features name=value each has brought
    cdef bint suspect             # a column has brought many: somebody should look
    cdef set columns_met          # columns of the first `listed` of the names; of name=value, the name
    cdef Py_ssize_t listed
    cdef object wanted            # names that the first step selects; None: it takes all

    cdef int32_t lookup(self, object key, object value, NewFeatures new_features, double* sign) except -3
    cdef int32_t lookup_nominal(self, object key, bint text, NewFeatures new_features) except -3
    cdef int32_t code(self, int32_t id, object value, NewFeatures new_features) except -3
    cdef bint fits(self, object name, Py_ssize_t more) except -1
    cdef int tally(self, object name, Py_ssize_t more, int times) except -1
    cdef bint codes_numbers(self)
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
