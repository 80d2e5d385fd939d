"""Supports in one contiguous block, and the rows of kernel values between them and an example.

Vectors are stored feature-major: one pass over the values of an example serves many supports at
once. A slot is overwritten in place: nothing moves when a support makes room for another. Where the
block would be large and nearly all zeros, an inverted index takes its place (`Postings`). For
structured kernels the example *is* its row of kernel values, computed before with the GIL; the
arithmetic of the learners is the same for both.
"""

from cpython.mem cimport PyMem_RawCalloc, PyMem_RawFree, PyMem_RawRealloc
from libc.stdint cimport int64_t, uint64_t
from libc.string cimport memcpy, memset

import numpy as np

from ..core.arrays cimport data_of, doubles, int32s, int64s
from ..core.example cimport SAFE, Example, feature, onstream_dot
from ..core.hashing cimport mix
from ..core.memory cimport release
from ._first_examples cimport FirstExamples
from ._postings cimport Postings

from .kernels.forms import deep_size, from_text, to_text


cdef Py_ssize_t BLOCK = 2**17   # numbers of a block that is dense in any case: 1 MiB
cdef Py_ssize_t SPARSE = 16     # a larger block is dense if one number in 16 is not 0
cdef double UNTOLD = 0.1        # gamma="median", while there are no two different examples
OPS = {
    "linear": ONSTREAM_LINEAR, "polynomial": ONSTREAM_POLYNOMIAL, "rbf": ONSTREAM_RBF,
    "scale": ONSTREAM_SCALE, "add": ONSTREAM_ADD, "multiply": ONSTREAM_MULTIPLY,
    "normalize": ONSTREAM_NORMALIZE,
}


cdef class CompiledKernel:
    """A kernel as the learners use it: compiled if it is one of vectors."""

    def __cinit__(self, kernel, str who):
        cdef Py_ssize_t i
        self.kernel = kernel
        ops = kernel.steps()
        self.vectors = ops is not None
        if not self.vectors:
            return
        depth = highest = 0
        for op, *_ in ops:
            depth += 1 if op in ("linear", "polynomial", "rbf") else -1 if op in ("add", "multiply") else 0
            highest = max(highest, depth)
        if highest > ONSTREAM_DEPTH:
            raise ValueError(f"{who}: kernel is nested too deeply: {kernel!r:.200}.")
        self.n = len(ops)
        self.ops = <onstream_op*> PyMem_RawCalloc(self.n, sizeof(onstream_op))
        self.medians = <int*> PyMem_RawCalloc(self.n, sizeof(int))
        if self.ops == NULL or self.medians == NULL:
            raise MemoryError
        for i, (op, gamma, coef0, degree, start) in enumerate(ops):
            self.ops[i].op = OPS[op]
            self.ops[i].by_width = gamma is None
            self.ops[i].gamma = 1.0 if gamma is None else UNTOLD if gamma == "median" else gamma
            if gamma == "median":
                self.medians[self.n_medians] = i
                self.n_medians += 1
            self.ops[i].coef0 = coef0
            self.ops[i].degree = degree
            self.ops[i].from_ = start
            self.dots |= op in ("linear", "polynomial")
            self.gaps |= op == "rbf"
        if self.n_medians:
            self.first = FirstExamples()

    def __dealloc__(self):
        release(self.ops)
        release(self.medians)

    cdef void set_width(self, Py_ssize_t width) noexcept nogil:
        """Set gamma=None to 1 / width: the number of features known with the first support."""
        cdef int i
        self.width = width
        for i in range(self.n):
            if self.ops[i].by_width:
                self.ops[i].gamma = 1.0 / max(1, width)

    cdef bint hold(self, const Example* e) noexcept nogil:
        """Make room to note an example. False: no memory."""
        return self.n_medians == 0 or self.first.hold(e)

    cdef bint watch(self, const Example* e) noexcept nogil:
        """Note an example that was learned. True: a gamma has changed."""
        if self.n_medians == 0 or not self.first.watch(e):
            return False
        self.set_medians()
        return True

    cdef void set_medians(self) noexcept nogil:
        """Set gamma="median" to 2 / median, once that is known."""
        cdef int i
        if self.n_medians and self.first.median > 0.0:
            for i in range(self.n_medians):
                self.ops[self.medians[i]].gamma = 2.0 / self.first.median

    @property
    def gamma(self):
        """What gamma="median" is by now, or None."""
        return 2.0 / self.first.median if self.n_medians and self.first.median > 0.0 else None

    def export(self):
        fields = {"gamma_width": self.width}
        return {**fields, **self.first.export()} if self.n_medians else fields

    def restore(self, fields):
        """Take the width from a file (a `StateReader`); 0: there was no support yet."""
        width = fields.integer("gamma_width", 0, 2**31 - 1)
        if self.n_medians:
            self.first.restore(fields)
        if width:
            self.set_width(width)
        self.set_medians()

    def memory(self):
        return self.first.memory() if self.n_medians else 0


cdef class Supports:
    def __cinit__(self, CompiledKernel compiled):
        self.compiled = compiled
        self.objects = None if compiled.vectors else []
        self.sparse = Postings()
        self.object_slot = -1

    def __dealloc__(self):
        PyMem_RawFree(self.v)
        PyMem_RawFree(self.lengths)
        PyMem_RawFree(self.self_k)
        PyMem_RawFree(self.x)
        PyMem_RawFree(self.gram)

    cdef bint measure(self, const Example* e, double* length, double* self_k) noexcept nogil:
        """Squared length and self-kernel of the example. False: too large to be learned."""
        if not self.compiled.vectors:
            length[0] = self_k[0] = e.values[0]
            return self_k[0] < SAFE
        length[0] = onstream_dot(e.values, e.values, e.n)
        if not length[0] < SAFE:
            return False
        onstream_self_value(self.compiled.ops, self.compiled.n, length[0], self_k)
        return -SAFE < self_k[0] < SAFE

    cdef void row(self, const Example* e, double length, double* out) noexcept nogil:
        """The kernel of every support with the example. `out` has `room` places."""
        cdef Py_ssize_t i, covered = 0
        cdef double rest = 0.0
        cdef bint full = True
        if self.n == 0:
            return
        if not self.compiled.vectors:
            memcpy(out, e.values + self.offset, self.n * sizeof(double))
            return
        if self.is_sparse:
            self.sparse.dots(e, out, self.n)
            full = False
        elif self.v == NULL:  # no support has a feature: all products are 0
            memset(out, 0, self.n * sizeof(double))
            full = False
        elif self.compiled.gaps:
            if e.ids == NULL:
                full = e.n >= self.used
                for i in range(self.used, e.n):
                    rest += e.values[i] * e.values[i]
            else:
                for i in range(e.n):
                    if e.ids[i] < self.used:
                        covered += 1
                    else:
                        rest += e.values[i] * e.values[i]
                full = covered == self.used
        onstream_kernel_row(
            self.compiled.ops, self.compiled.n, self.compiled.dots, self.compiled.gaps, out, self.v,
            self.lengths, self.n, self.room, e.ids, e.values, e.n, self.used, length, full, rest)

    cdef void row_of(self, Py_ssize_t i, double* out) noexcept nogil:
        """The kernel of every support with support i."""
        cdef Example e
        if not self.compiled.vectors:
            memcpy(out, self.gram + i * self.room, self.n * sizeof(double))
            return
        self.as_example(i, &e)
        self.row(&e, self.lengths[i], out)

    cdef void as_example(self, Py_ssize_t i, Example* e) noexcept nogil:
        """Support i, a vector, as an example; it lasts until the next call."""
        cdef Py_ssize_t j
        if self.is_sparse:
            e.ids, e.values = self.sparse.lines[i].ids, self.sparse.lines[i].values
            e.n = self.sparse.lines[i].n
            return
        for j in range(self.used):
            self.x[j] = self.v[j * self.room + i]
        e.ids, e.values, e.n = NULL, self.x, self.used

    cdef bint fit(self, Py_ssize_t n, const Example* e) noexcept nogil:
        """Make room for n supports, and for the features of the example. False: no memory."""
        cdef Py_ssize_t i, room = eights(n), needed = self.used, rows, filled = self.filled
        if self.compiled.vectors:
            if e.ids == NULL:
                needed = max(needed, e.n)
            for i in range(e.n):
                filled += e.values[i] != 0.0
                if e.ids != NULL:
                    needed = max(needed, e.ids[i] + 1)
            if e.n and not self.is_sparse and not self.keep_layout:
                # It depends on what is learned, not on room: the same after loading.
                if needed * (self.n + 1) > BLOCK and needed * (self.n + 1) > SPARSE * filled:
                    if not self.to_sparse():
                        return False
        if room > self.room:
            if not (
                grown(&self.lengths, self.room, room)
                and grown(&self.self_k, self.room, room)
                and (self.is_sparse or restrided(&self.v, self.rows, self.room, room))
            ):
                return False
            if self.wants_gram and not widened(&self.gram, self.room, room):
                return False
            self.room = room
        if not self.compiled.vectors:
            return True
        if self.is_sparse:
            return self.sparse.fit(self.room, e)
        if needed > self.rows:
            rows = needed if self.rows == 0 else max(needed, self.rows + self.rows // 2)
            if not (
                grown(&self.v, self.rows * self.room, rows * self.room)
                and grown(&self.x, self.rows, rows)
            ):
                return False
            self.rows = rows
        return True

    cdef bint to_sparse(self) noexcept nogil:
        """Give up the block for an inverted index. False: no memory, nothing is changed."""
        cdef Example e
        cdef Py_ssize_t i
        for i in range(self.n):
            self.as_example(i, &e)
            if not self.sparse.fit(self.room, &e):
                self.sparse.clear()
                return False
            self.sparse.put(i, &e)
        PyMem_RawFree(self.v)
        PyMem_RawFree(self.x)
        self.v = self.x = NULL
        self.rows = 0
        self.is_sparse = True
        return True

    cdef void put(
        self, Py_ssize_t slot, const Example* e, double length, double self_k, const double* row
    ) noexcept nogil:
        """Write the example, whose kernel row this is, to a slot that `fit` has made room for."""
        cdef Py_ssize_t j, i
        if slot == self.n:
            self.n += 1
        self.lengths[slot] = length
        self.self_k[slot] = self_k
        if not self.compiled.vectors:
            self.object_slot = slot
            if self.wants_gram:
                for i in range(self.n):
                    if i != slot:  # a new slot is not in the row
                        self.gram[slot * self.room + i] = self.gram[i * self.room + slot] = row[i]
                self.gram[slot * self.room + slot] = self_k
            return
        if self.compiled.width == 0:
            self.compiled.set_width(e.width)
        if self.is_sparse:
            self.filled -= self.sparse.lines[slot].n
            self.sparse.put(slot, e)
            self.filled += self.sparse.lines[slot].n
            for j in range(e.n):
                self.used = max(self.used, feature(e, j) + 1)
            return
        for j in range(self.used):
            self.filled -= self.v[j * self.room + slot] != 0.0
            self.v[j * self.room + slot] = 0.0
        for j in range(e.n):
            i = feature(e, j)
            self.used = max(self.used, i + 1)
            self.v[i * self.room + slot] = e.values[j]
            self.filled += e.values[j] != 0.0

    cdef void undo_put(self, Py_ssize_t used, Py_ssize_t width) noexcept nogil:
        """Undo the `put` to a new slot; `used` and the kernel's `width` are those before it. Its room
        may be gone: call `fit` again."""
        cdef Example none
        if self.compiled.vectors:
            none.ids, none.values, none.n, none.width = NULL, NULL, 0, 0
            self.put(self.n - 1, &none, 0.0, 0.0, NULL)
            if self.compiled.width != width:
                self.compiled.set_width(width)
        self.n -= 1
        self.used = used
        self.object_slot = -1

    # -- structured examples -----------------------------------------------------------------------

    cdef int reserve_object(self) except -1:
        """Make room for one more object, before learning: afterwards nothing may fail."""
        if len(self.objects) == self.n:
            self.objects.append(None)
        return 0

    cdef int store_object(self, object item) except -1:
        """Put the object that was just learned into its slot, if it has become a support."""
        if self.object_slot >= 0:
            self.objects[self.object_slot] = item
        self.object_slot = -1
        if len(self.objects) > self.n:
            self.objects.pop()
        return 0

    def values(self, item, Py_ssize_t offset):
        """The kernel of every support with a prepared object; they will stand at `offset`."""
        self.offset = offset
        return self.compiled.kernel.row([prepared for _, prepared in self.objects], item[1])

    # -- views and files -----------------------------------------------------------------------------

    def forms(self):
        """The canonical forms of structured supports; None: they are vectors."""
        return None if self.objects is None else [form for form, _ in self.objects]

    def rows_of_values(self):
        """(starts, columns, values) of all that is not 0: support i has starts[i] ... starts[i + 1] - 1."""
        cdef Example e
        cdef Py_ssize_t i, j, at = 0
        starts = np.zeros(self.n + 1, dtype=np.int64)
        columns, values = np.empty(self.filled, dtype=np.int64), np.empty(self.filled)
        cdef int64_t* start = int64s(starts)
        cdef int64_t* column = int64s(columns)
        cdef double* value = doubles(values)
        for i in range(self.n):
            self.as_example(i, &e)
            for j in range(e.n):
                if e.values[j] != 0.0:
                    column[at], value[at] = feature(&e, j), e.values[j]
                    at += 1
            start[i + 1] = at
        return starts, columns, values

    def export(self):
        if self.objects is not None:
            texts = [to_text(form) for form, _ in self.objects]
            return {"count": self.n, "objects": texts}
        lengths = np.empty(self.n)
        if self.n:
            memcpy(data_of(lengths), self.lengths, self.n * sizeof(double))
        starts, columns, values = self.rows_of_values()
        fields = {
            "count": self.n, "width": self.used, "values": values, "columns": columns,
            "starts": starts, "lengths": lengths,
        }
        if self.is_sparse:
            fields["sparse"] = True
        return fields

    def restore(self, fields, Py_ssize_t most, Py_ssize_t features, str who):
        """Read supports from a file (a `StateReader`), no more than `most`, of `features` features."""
        cdef Example e
        cdef Py_ssize_t i, count = fields.integer("count", 0, most)
        cdef double length, self_k
        if self.objects is not None:
            texts = fields.names("objects", (str,))
            if len(texts) != count:
                raise ValueError(f"there are {len(texts)} objects, expected {count}")
            fields.done()
            return self.restore_objects(texts, who)
        width = fields.integer("width", 0, features)
        starts = fields.integers("starts", (count + 1,), 0)
        values = fields.array("values", (-1,))
        columns = fields.integers("columns", values.shape, 0, width - 1)
        lengths = fields.array("lengths", (count,))
        sparse = not fields.missing("sparse") and fields.flag("sparse") is True
        fields.done()
        if starts[0] != 0 or starts[-1] != len(values) or (np.diff(starts) < 0).any():
            raise ValueError("the supports' starts do not fit")
        rows = np.repeat(np.arange(count), np.diff(starts))
        if len(np.unique(rows * max(1, width) + columns)) != len(values) or not values.all():
            raise ValueError("a support has a feature twice, or a zero")
        with np.errstate(over="ignore"):
            squares = np.bincount(rows, values * values, minlength=count)
        if not (np.abs(squares - lengths) <= 1e-9 * lengths).all():
            raise ValueError("the supports' lengths do not fit")
        self.is_sparse = sparse
        self.keep_layout = True
        ids = columns.astype(np.int32)
        values = np.ascontiguousarray(values)
        e.width = self.compiled.width
        for i in range(count):
            e.ids = int32s(ids) + <Py_ssize_t> starts[i]
            e.values = doubles(values) + <Py_ssize_t> starts[i]
            e.n = starts[i + 1] - starts[i]
            length = lengths[i]
            onstream_self_value(self.compiled.ops, self.compiled.n, length, &self_k)
            if not -SAFE < self_k < SAFE:
                raise ValueError("a support is too large")
            if not self.fit(max(i + 1, min(count, 2 * i)), &e):
                raise MemoryError
            self.put(i, &e, length, self_k, NULL)
        if not sparse:
            e.ids, e.n = NULL, 0
            self.used = width
            if not self.fit(count, &e):
                raise MemoryError
        self.used = width
        self.keep_layout = False

    def restore_objects(self, texts, who):
        cdef Example e
        kernel = self.compiled.kernel
        for text in texts:
            item = from_text(kernel, who, text)
            values = np.array([kernel.self_value(item[1]), *self.values(item, 1)])
            e.values = doubles(values)
            if not self.fit(max(self.n + 1, min(len(texts), 2 * self.n)), &e):
                raise MemoryError
            self.reserve_object()
            self.put(self.n, &e, e.values[0], e.values[0], e.values + 1)
            self.store_object(item)

    def memory(self):
        held = 8 * (self.rows * self.room + self.rows + 2 * self.room) + 200
        if self.is_sparse:
            held += self.sparse.bytes
        if self.objects is not None:
            held += sum(deep_size(form) + deep_size(prepared) + 80 for form, prepared in self.objects)
            held += 8 * self.room * self.room * self.wants_gram
        return held


cdef Py_ssize_t eights(Py_ssize_t n) noexcept nogil:
    """At least n, and a multiple of 8."""
    return (n + 7) // 8 * 8


cdef bint grown(double** block, Py_ssize_t old, Py_ssize_t new) noexcept nogil:
    """Make a block longer, the added numbers 0. False: no memory, nothing is changed."""
    cdef double* moved = <double*> PyMem_RawRealloc(block[0], max(new * sizeof(double), 1))
    if moved == NULL:
        return False
    if new > old:
        memset(moved + old, 0, (new - old) * sizeof(double))
    block[0] = moved
    return True


cdef bint restrided(double** block, Py_ssize_t rows, Py_ssize_t old, Py_ssize_t new) noexcept nogil:
    """The same rows with room for more columns. False: no memory, nothing is changed."""
    return rows == 0 or moved_to(block, rows, old, rows, new)


cdef bint widened(double** block, Py_ssize_t old, Py_ssize_t new) noexcept nogil:
    """A square matrix with room for more rows and columns. False: no memory, nothing is changed."""
    return moved_to(block, old, old, new, new)


cdef bint moved_to(
    double** block, Py_ssize_t rows, Py_ssize_t columns, Py_ssize_t new_rows, Py_ssize_t new_columns
) noexcept nogil:
    cdef double* moved = <double*> PyMem_RawCalloc(max(1, new_rows * new_columns), sizeof(double))
    cdef Py_ssize_t i
    if moved == NULL:
        return False
    for i in range(rows):
        memcpy(moved + i * new_columns, block[0] + i * columns, columns * sizeof(double))
    PyMem_RawFree(block[0])
    block[0] = moved
    return True


cdef uint64_t draw(uint64_t seed, uint64_t number) noexcept nogil:
    """64 random bits: number `number` of a seed."""
    return mix(mix(seed + <uint64_t> 0x9E3779B97F4A7C15) + number * <uint64_t> 0x9E3779B97F4A7C15)
