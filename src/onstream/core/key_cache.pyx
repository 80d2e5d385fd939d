from cpython.long cimport PyLong_CheckExact
from cpython.object cimport PyObject
from cpython.ref cimport Py_INCREF, Py_XDECREF

from .memory cimport release, resize, roomier

cdef enum:
    KEPT = 1024  # the longest row that is cached


cdef class KeyCache:
    """The keys of the last mapping, with the features they stand for."""

    def __dealloc__(self):
        self.forget()
        release(self.objects)
        release(self.ids)
        release(self.signs)
        release(self.known)

    cdef void forget(self) noexcept:
        """Drop all keys: features may have been rolled back."""
        cdef Py_ssize_t i
        for i in range(self.n):
            Py_XDECREF(self.objects[i])
        self.n = self.contiguous = 0
        self.unique = self.ints = self.strings = False

    cdef int remember(self, Py_ssize_t at, PyObject* key, int32_t id, double sign, PyObject* known) except -1:
        """Keep the key at place `at`, for the next row."""
        cdef Py_ssize_t room
        if at > self.n or at >= KEPT:
            return 0  # a gap (the key before it is unknown), or too long a row
        if at == self.room:
            room = roomier(self.room, at + 1)
            self.objects = <PyObject**> resize(
                self.objects, self.room * sizeof(PyObject*), room * sizeof(PyObject*))
            self.ids = <int32_t*> resize(
                self.ids, self.room * sizeof(int32_t), room * sizeof(int32_t))
            self.signs = <double*> resize(
                self.signs, self.room * sizeof(double), room * sizeof(double))
            self.known = <PyObject**> resize(
                self.known, self.room * sizeof(PyObject*), room * sizeof(PyObject*))
            self.room = room
        Py_INCREF(<object> key)
        if at == self.n:
            self.n += 1
        else:
            Py_XDECREF(self.objects[at])
        self.objects[at] = key
        self.ints |= PyLong_CheckExact(<object> key)
        self.strings |= not PyLong_CheckExact(<object> key)
        self.ids[at] = id
        self.contiguous = min(self.contiguous, at)
        while self.contiguous < self.n and self.ids[self.contiguous] == self.contiguous:
            self.contiguous += 1
        self.signs[at] = sign
        self.known[at] = known
        self.unique = False
        return 0

    def memory(self):
        """Bytes in use, without the keys themselves."""
        return self.room * (2 * sizeof(PyObject*) + sizeof(int32_t) + sizeof(double))
