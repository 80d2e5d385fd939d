"""Labels: any bool, int or string, which the stream may bring at any time."""

cimport numpy as cnp
from cpython.dict cimport PyDict_GetItemWithError
from cpython.long cimport PyLong_AsLong
from cpython.object cimport PyObject
from cpython.ref cimport Py_INCREF

import numpy as np

from .arrays cimport data_of, int32s
from .coding import too_many_labels
from .coerce import in_one_piece, in_row, is_missing, missing, no_column, unmasked

cdef extern from "simd.h":
    void onstream_range(const long long* x, Py_ssize_t n, long long* least, long long* most)

cnp.import_array()

cdef Py_ssize_t FEW = 64         # labels that are looked up one by one
cdef Py_ssize_t BLOCK = 1 << 13  # labels converted at a time, so that they stay in the cache


cdef class Labels:
    """Numbers the labels of one classifier in order of appearance.

    With two labels a learner sees -1 and +1: a first label True or 1 is +1, any other first
    label is -1, the second takes the other sign.
    """

    def __cinit__(self, str who, Py_ssize_t limit):
        self.who = who
        self.limit = limit
        self.names = []
        self.numbers = {}

    def __len__(self):
        return len(self.names)

    cdef object coerce(self, object y):
        """`y` as a Python bool, int or str."""
        kind = type(y)
        if kind is bool or kind is str or (kind is int and -2**62 < y < 2**62):
            return y
        if isinstance(y, np.bool_):
            return bool(y)
        if isinstance(y, (np.integer, int)) and not isinstance(y, np.timedelta64):
            if int(y).bit_length() > 1024:
                raise ValueError(f"{self.who}: an int of {int(y).bit_length():,} bits is no label.")
            return int(y)
        if isinstance(y, str):
            return str.__str__(y)
        if isinstance(y, (float, np.floating)) and float(y).is_integer():
            return int(y)
        if is_missing(y):
            raise missing(self.who, "the label", y)
        if isinstance(y, (float, np.floating)):
            raise ValueError(
                f"{self.who}: a label must be a bool, an int or a string, got the number {y!r}. "
                f"For numeric targets use a regressor."
            )
        if isinstance(y, np.ndarray) and y.ndim == 0:
            return self.coerce(unmasked(self.who, y, "y").item())
        raise TypeError(
            f"{self.who}: a label must be a bool, an int or a string, "
            f"got {y!r} of type {kind.__name__}."
        )

    cdef int32_t find(self, object y) except -2:
        """Number of a coerced label; -1 if it is new, an error if it may not be added."""
        cdef Py_ssize_t known = len(self.names)
        if known and y is self.names[0]:  # usually the same object
            return 0
        if known > 1 and y is self.names[1]:
            return 1
        if known and type(y) is not type(self.names[0]):
            first = self.names[0]
            raise TypeError(
                f"{self.who}: the labels so far are of type {type(first).__name__} "
                f"(such as {first!r}), got {y!r} of type {type(y).__name__}. "
                f"Use one type for all labels."
            )
        number = self.numbers.get(y)
        if number is not None:
            return number
        self.check(y)
        return -1

    cdef int check(self, object y) except -1:
        """Refuse a label that may not be added."""
        if len(self.names) >= self.limit:
            wanted = too_many_labels(repr(y), len(self.names) + 1, self.limit)
            raise ValueError(f"{self.who}: {wanted}; for numeric targets use a regressor.")
        if type(y) is str:
            try:
                y.encode()
            except UnicodeEncodeError:
                raise ValueError(f"{self.who}: label {y!r} is not valid Unicode text.") from None
        return 0

    cdef int append(self, object y) except -1:
        self.names.append(y)
        try:
            self.numbers[y] = len(self.names) - 1
        except:
            self.names.pop()
            raise
        self.cached = None
        return 0

    cdef int pop(self) except -1:
        del self.numbers[self.names.pop()]
        self.cached = None
        return 0

    cdef int compact(self) except -1:
        """After many labels were removed: release their room, if there is memory to do so."""
        try:
            self.names, self.numbers = list(self.names), dict(self.numbers)
        except MemoryError:
            pass
        return 0

    cdef double sign(self, int32_t number) noexcept:
        """Code (-1 or +1) of one of the first two labels; before any, of the first that comes."""
        # coding.first_sign in C: a Python call here could let other threads see half a label.
        cdef double first = -1.0
        if self.names and (self.names[0] is True or self.names[0] == 1):
            first = 1.0
        return first if number == 0 else -first

    def declare(self, labels):
        """Add coerced labels before any example."""
        for y in labels:
            if self.find(y) >= 0:
                raise ValueError(f"{self.who}: label {y!r} is declared twice in labels.")
            self.append(y)

    def encode(self, y, Py_ssize_t rows, weights):
        """Numbers for a column of labels, and the labels that are new, in order of appearance.

        Changes nothing. A row of weight 0 is checked but adds no label; its number is -1 if the
        label is new.
        """
        cdef cnp.npy_intp length = rows
        found = cnp.PyArray_SimpleNew(1, &length, cnp.NPY_INT32)
        cdef int32_t* numbers = int32s(found)
        cdef Py_ssize_t i
        cdef int32_t number
        if 0 < rows <= FEW and find_known(self, y, rows, numbers):
            return found, []
        cdef Labels seen = Labels(self.who, self.limit)  # the labels known after each row
        seen.names = list(self.names)
        seen.numbers = dict(self.numbers)
        if isinstance(y, (list, tuple)):
            column = list(y)  # a copy: another thread may change y
        else:
            column = np.asarray(in_one_piece(unmasked(self.who, y, "y")))
            if column.ndim == 0:
                raise no_column(self.who, "y", "label", y)
            if column.ndim != 1:
                raise ValueError(
                    f"{self.who}: y must have one dimension, got shape {column.shape}."
                )
            if column.dtype.kind not in "biufUSO":
                raise TypeError(f"{self.who}: y must hold labels, got {column.dtype}.")
        if len(column) != rows:
            raise ValueError(f"{self.who}: X has {rows:,} rows, y has {len(column):,}.")
        if isinstance(column, np.ndarray):
            if column.dtype.kind in "iub" and rows and weights is None:
                if self.encode_integers(column, seen, numbers):
                    return found, seen.names[len(self.names):]
            column = column.tolist()
        for i in range(rows):
            try:
                label = seen.coerce(column[i])
                number = seen.find(label)
                if number < 0 and (weights is None or weights[i] > 0.0):
                    number = <int32_t> len(seen.names)
                    seen.append(label)
            except (TypeError, ValueError) as error:
                raise in_row(error, self.who, i) from None
            numbers[i] = number
        return found, seen.names[len(self.names):]

    cdef bint encode_integers(self, column, Labels seen, int32_t* numbers) except -1:
        """The same through a table, for ints in a narrow range. False: the range is too wide."""
        cdef bint boolean = column.dtype.kind == "b"
        cdef bint wide = column.dtype.kind == "u" and column.dtype.itemsize == 8
        cdef Py_ssize_t i, n, first, at
        cdef long long low = 0, high = -1, least, most, value  # the table covers low ... high
        cdef int32_t* table = NULL
        cdef int32_t number
        cdef const long long* values
        places = np.empty(0, dtype=np.int32)
        for first in range(0, len(column), BLOCK):
            block = column[first:first + BLOCK]
            if wide and block.max() >= 2**62:
                return False
            block = np.ascontiguousarray(block, dtype=np.longlong)
            values, n = <const long long*> data_of(block), len(block)
            onstream_range(values, n, &least, &most)
            if low <= high:
                least, most = min(least, low), max(most, high)
            if least <= -2**62 or most >= 2**62 or most - least > 65_535:
                return False
            if least < low or most > high:
                wider = np.full(most - least + 1, -1, dtype=np.int32)
                wider[low - least:low - least + len(places)] = places
                places, low, high = wider, least, most
                table = int32s(places)
            for i in range(n):
                value = values[i]
                if not low <= value <= high:
                    raise ValueError(f"{self.who}: y was changed while it was being read.")
                at = value - low
                number = table[at]
                if number < 0:
                    label = value
                    if boolean:
                        label = bool(label)
                    try:
                        number = seen.find(label)
                    except (TypeError, ValueError) as error:
                        raise in_row(error, self.who, first + i) from None
                    if number < 0:
                        number = <int32_t> len(seen.names)
                        seen.append(label)
                    table[at] = number
                numbers[first + i] = number
        return True

    def decode(self, numbers):
        """Labels for an array of numbers, in their own dtype; None for -1."""
        cached = self.cached  # read once: another thread may add a label
        if cached is None:
            cached = self.cached = own_dtype(self.names)
        numbers = np.ascontiguousarray(numbers, dtype=np.int32)
        if len(cached) and all_below(int32s(numbers), len(numbers), len(cached)):
            return cached.take(numbers)
        return some_named(numbers, list(self.names))

    def memory(self):
        from sys import getsizeof

        held = getsizeof(self.names) + getsizeof(self.numbers) + sum(map(getsizeof, self.names))
        held += 32 * max(0, len(self.names) - 256)  # their numbers
        return held + (0 if self.cached is None else self.cached.nbytes)


cdef bint find_known(Labels labels, object y, Py_ssize_t rows, int32_t* numbers) except -1:
    """Write the numbers of a short column whose labels are all known, in plain Python objects or an
    array of int64 or bools. False: some are not, or it is something else."""
    cdef Py_ssize_t i
    cdef PyObject* number
    if not labels.names:
        return False
    kind = type(labels.names[0])
    if cnp.PyArray_CheckExact(y):
        if cnp.PyArray_NDIM(<cnp.ndarray> y) != 1 or cnp.PyArray_DIM(<cnp.ndarray> y, 0) != rows:
            return False
        if cnp.PyArray_TYPE(<cnp.ndarray> y) != (cnp.NPY_BOOL if kind is bool else cnp.NPY_INT64):
            return False
        if not cnp.PyArray_ISBEHAVED_RO(<cnp.ndarray> y):
            return False
        y = (<cnp.ndarray> y).tolist()
    elif type(y) is not list or len(<list> y) != rows:
        return False
    for i in range(rows):
        if type((<list> y)[i]) is not kind:
            return False
        number = PyDict_GetItemWithError(labels.numbers, (<list> y)[i])
        if number == NULL:
            return False
        numbers[i] = <int32_t> PyLong_AsLong(<object> number)
    return True


cdef bint all_below(const int32_t* numbers, Py_ssize_t n, Py_ssize_t most) noexcept:
    """Are they all in 0 ... most-1?"""
    cdef Py_ssize_t i
    cdef bint good = True
    for i in range(n):
        good &= 0 <= numbers[i] < most
    return good


def own_dtype(names):
    """The labels as an array: bool, int64, str, or object if NumPy would not keep them whole."""
    kind = type(names[0]) if names else None
    whole = {
        bool: lambda name: True,
        int: lambda name: -2**63 <= name < 2**63,
        str: lambda name: not name.endswith("\0"),
        None: lambda name: False,
    }[kind]
    return np.array(names, dtype=None if names and all(map(whole, names)) else object)


cdef some_named(object array, list names):
    """The name of each number (int32), None where there is none: much faster than NumPy's indexing."""
    cdef const int32_t* numbers = int32s(array)
    cdef cnp.npy_intp n = len(array), i
    cdef Py_ssize_t known = len(names)
    cdef object found = cnp.PyArray_SimpleNew(1, &n, cnp.NPY_OBJECT)  # of NULL
    cdef PyObject** out = <PyObject**> data_of(found)
    for i in range(n):
        name = names[numbers[i]] if 0 <= numbers[i] < known else None
        Py_INCREF(name)
        out[i] = <PyObject*> name
    return found
