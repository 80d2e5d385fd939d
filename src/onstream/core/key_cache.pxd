# The keys of the last mapping. Consecutive rows usually have the same keys in the same order, so
# compare with the previous row before searching the index.

from cpython.object cimport PyObject
from cpython.ref cimport Py_INCREF, Py_XDECREF
from cpython.unicode cimport PyUnicode_CheckExact
from libc.stdint cimport int32_t
from libc.string cimport memcmp

cdef extern from "Python.h":
    Py_ssize_t Py_REFCNT(PyObject* o)
    Py_ssize_t PyUnicode_GET_LENGTH(PyObject* text)
    int PyUnicode_KIND(PyObject* text)
    void* PyUnicode_DATA(PyObject* text)


cdef class KeyCache:
    cdef PyObject** objects  # the keys, or names with the same text; all owned
    cdef int32_t* ids        # their features
    cdef double* signs       # of their hashes
    cdef PyObject** known    # values of a nominal feature, owned by the encoder; otherwise NULL
    cdef Py_ssize_t n        # number of keys
    cdef Py_ssize_t room
    cdef Py_ssize_t contiguous  # the first `contiguous` keys are the features 0, 1, ...
    cdef bint unique         # no two of them share a slot
    cdef bint ints           # one of them is, or was, an int
    cdef bint strings        # ... a string

    cdef int remember(self, Py_ssize_t at, PyObject* key, int32_t id, double sign, PyObject* known) except -1
    cdef void forget(self) noexcept

    cdef inline bint was_here(self, Py_ssize_t at, PyObject* key) noexcept:
        """Was this key at this place in the last row?"""
        return at < self.n and (self.objects[at] == key or same_text(self.objects[at], key))

    cdef inline bint is_here_again(self, Py_ssize_t at, PyObject* key) noexcept:
        """The same; and keep the new object of an equal key, since it is likely to come again."""
        cdef PyObject* last
        if at >= self.n:
            return False
        last = self.objects[at]
        if last == key:
            return True
        if not same_text(last, key):
            return False
        if Py_REFCNT(key) > 1:  # shared, so it may come again
            Py_INCREF(<object> key)
            self.objects[at] = key
            Py_XDECREF(last)
        return True


cdef inline bint same_text(PyObject* a, PyObject* b) noexcept:
    """Two strings with the same characters?"""
    if not (PyUnicode_CheckExact(<object> a) and PyUnicode_CheckExact(<object> b)):
        return False
    cdef Py_ssize_t n = PyUnicode_GET_LENGTH(a)
    return (
        n == PyUnicode_GET_LENGTH(b) and PyUnicode_KIND(a) == PyUnicode_KIND(b)
        and memcmp(PyUnicode_DATA(a), PyUnicode_DATA(b), n * PyUnicode_KIND(a)) == 0
    )
