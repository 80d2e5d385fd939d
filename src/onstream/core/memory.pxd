# C memory through Python's raw allocator, so that tracemalloc sees every byte.

from cpython.mem cimport PyMem_RawCalloc, PyMem_RawFree, PyMem_RawRealloc
from libc.string cimport memset


cdef extern from "simd.h":
    void onstream_large_pages(void* block, size_t bytes)
    void onstream_fetch(const void* start, size_t bytes) nogil


cdef inline void* resize(void* block, size_t old, size_t new) except NULL:
    """Resize `block` from `old` to `new` bytes; added ones are zero. If old is 0, its content is dropped."""
    cdef void* moved
    if old == 0:
        moved = PyMem_RawCalloc(max(new, 1), 1)  # pages that are never touched take no memory
    else:
        moved = PyMem_RawRealloc(block, max(new, 1))
    if moved == NULL:
        raise MemoryError(f"onstream: no memory for {new:,} bytes")
    onstream_large_pages(moved, new)
    if old == 0:
        PyMem_RawFree(block)
    elif new > old:
        memset(<char*> moved + old, 0, new - old)
    return moved


cdef inline void release(void* block) noexcept:
    PyMem_RawFree(block)


cdef inline Py_ssize_t roomier(Py_ssize_t room, Py_ssize_t needed) noexcept nogil:
    """Room for at least `needed` items, growing by half so that appending stays O(1)."""
    cdef Py_ssize_t more = room + room // 2 + 8
    return more if more > needed else needed
