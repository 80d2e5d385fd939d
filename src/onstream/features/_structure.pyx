"""Transformers that choose or unite features."""

from libc.stdint cimport int32_t
from libc.string cimport memset

import numpy as np

from ..core.encoder cimport Encoder
from ..core.example cimport LEARNED, Example, feature
from ..core.memory cimport release, resize, roomier
from ..core.transformer cimport Pool, TransformerState

from ..core.coerce import whole_number

MOST_NAMED = 2**22  # features from the start that a union gives names to
FEW = 2**18  # features of a union that a file need not list


cdef class SelectState(TransformerState):
    cdef set names
    cdef char* keep           # of each feature: is it one of them?
    cdef Py_ssize_t rows
    cdef Py_ssize_t room

    def __init__(self, names):
        self.names = set(map(str, names))
        self.constant = True

    def selects(self):
        return self.names

    def __dealloc__(self):
        release(self.keep)

    cdef int connect(self, Encoder features, Encoder encoder) except -1:
        if features.bits >= 0:
            raise ValueError(f"{self.who}: hashed features have no names; select before hashing.")
        return TransformerState.connect(self, features, encoder)

    cdef int reserve(self, Py_ssize_t width) except -1:
        cdef Py_ssize_t room
        if width > self.room:
            room = roomier(self.room, width)
            self.keep = <char*> resize(self.keep, self.room, room)
            self.room = room
        if self.rows < min(width, self.features.implicit):  # columns: there may be millions
            for name in self.names:
                number = whole_number(name)
                if number is not None and self.rows <= number < min(width, self.features.implicit):
                    self.keep[<Py_ssize_t> number] = True
            self.rows = min(width, self.features.implicit)
        while self.rows < width:
            name = str(self.features.name_of(self.rows))
            # A string is the feature name=value.
            self.keep[self.rows] = name in self.names or name.partition("=")[0] in self.names
            self.rows += 1
        return 0

    cdef int shrink(self, Py_ssize_t width) except -1:
        if width < self.rows:
            memset(self.keep + width, 0, self.rows - width)
            self.rows = width
        return 0

    cdef int transform(self, const Example* e, Example* out, Pool* pool) noexcept nogil:
        cdef Py_ssize_t i, n = 0
        cdef int32_t id
        for i in range(e.n):
            id = feature(e, i)
            if id < self.rows and self.keep[id]:
                pool.ids[n], pool.values[n] = id, e.values[i]
                if e.codes != NULL:
                    pool.codes[n] = e.codes[i]
                n += 1
        out.ids, out.values, out.n = pool.ids, pool.values, n
        out.codes = pool.codes if e.codes != NULL else NULL
        return LEARNED

    def own_bytes(self):
        return TransformerState.own_bytes(self) + self.room


cdef class UnionState(TransformerState):
    cdef TransformerState first   # parts: chains of steps, one the sibling of the other
    cdef list parts               # all of them
    cdef Py_ssize_t done          # features in that have places; -1: nor have those that the parts make
    cdef Py_ssize_t* came_out     # features out, once 0 ... done have come in
    cdef Py_ssize_t done_room
    cdef list order               # feature that comes out -> (part, feature of that part)
    cdef int32_t** places         # part, feature of that part -> feature that comes out
    cdef Py_ssize_t* widths       # features of each part that have a place
    cdef Py_ssize_t* rooms

    def __init__(self, parts):
        """Parts are lists of states, one per step."""
        cdef TransformerState step, before = None
        cdef Py_ssize_t n = len(parts)
        self.parts, self.order = parts, []
        self.done = -1
        self.places = <int32_t**> resize(NULL, 0, n * sizeof(int32_t*))
        self.widths = <Py_ssize_t*> resize(NULL, 0, n * sizeof(Py_ssize_t))
        self.rooms = <Py_ssize_t*> resize(NULL, 0, n * sizeof(Py_ssize_t))
        for part in parts:
            step = part[0]
            if before is None:
                self.first = step
            else:
                before.sibling = step
            before = step
            for one, other in zip(part, part[1:]):
                (<TransformerState> one).next = other
            self.wants_nan |= step.wants_nan

    def __dealloc__(self):
        cdef Py_ssize_t p
        if self.places != NULL:
            for p in range(len(self.parts)):
                release(self.places[p])
        release(self.places)
        release(self.widths)
        release(self.rooms)
        release(self.came_out)

    def selects(self):
        chosen = [part[0].selects() for part in self.parts]
        return None if None in chosen else set().union(*chosen)

    def keeps_nominal(self):
        return all(step.keeps_nominal() for part in self.parts for step in part)

    cdef int connect(self, Encoder features, Encoder encoder) except -1:
        cdef TransformerState step
        cdef Encoder own
        TransformerState.connect(self, features, encoder)
        self.output_features = Encoder(self.who, None, 0)
        self.output_features.nominal = features.nominal and self.keeps_nominal()
        for part in self.parts:
            own = features
            for step in part:
                step.connect(own, encoder)
                if step.output_features is not None:
                    own = step.output_features
            if max(features.width, own.width) > MOST_NAMED:
                raise ValueError(
                    f"{self.who}: {max(features.width, own.width):,} features would get a name each, one by "
                    f"one; hash to fewer slots (hash_bits of at most 22)."
                )
        return self.reserve(features.width)  # the features that are there from the start

    cdef TransformerState last_of(self, Py_ssize_t part):
        return self.parts[part][-1]

    cdef int reserve(self, Py_ssize_t width) except -1:
        """Number the features one by one, so that blocks and loops of single examples number them alike."""
        cdef Py_ssize_t p, wide, room, done
        if width >= self.done_room:
            room = roomier(self.done_room, width + 1)
            self.came_out = <Py_ssize_t*> resize(
                self.came_out, self.done_room * sizeof(Py_ssize_t), room * sizeof(Py_ssize_t))
            self.done_room = room
        while self.done < width:
            done = self.done + 1
            for p in range(len(self.parts)):
                wide = (<TransformerState> self.parts[p][0]).pass_room(done)
                while self.widths[p] < wide:
                    self.place(p)
            self.came_out[done] = len(self.order)
            self.done = done
        self.output_features.commit(len(self.order))
        return 0

    cdef Py_ssize_t width_out(self, Py_ssize_t width) noexcept nogil:
        return self.came_out[min(width, self.done)]

    cdef int place(self, Py_ssize_t p) except -1:
        """The next feature of part p gets a place and a name."""
        cdef Py_ssize_t id = self.widths[p], room
        cdef TransformerState last = self.last_of(p)
        if id >= self.rooms[p]:
            room = roomier(self.rooms[p], id + 1)
            self.places[p] = <int32_t*> resize(
                self.places[p], self.rooms[p] * sizeof(int32_t), room * sizeof(int32_t))
            self.rooms[p] = room
        name = last.name_out(<int32_t> id)
        if self.hidden(p, id) or self.output_features.find(name) >= 0:  # two parts keep the same feature
            name = f"{name}.{p}"
            while self.output_features.find(name) >= 0:
                name += "'"
        self.places[p][id] = self.output_features.add(name)
        values = last.last_features().categories.get(id)
        if values is not None:  # a nominal feature, with the values it has now or will get
            self.output_features.categories[self.places[p][id]] = values
        self.order.append((p, id))
        self.widths[p] = id + 1
        return 0

    cdef bint hidden(self, Py_ssize_t p, Py_ssize_t id):
        """Will this feature of part p never come out, because a Select leaves it out?"""
        cdef TransformerState step
        for step in reversed(self.parts[p]):
            if step.output_features is not None:  # its features are all new
                return False
            if isinstance(step, SelectState) and not (<SelectState> step).keep[id]:
                return True
        return False

    cdef int shrink(self, Py_ssize_t width) except -1:
        cdef Py_ssize_t p
        cdef TransformerState head
        wide = []
        for p in range(len(self.parts)):
            head = self.parts[p][0]
            head.pass_shrink(width)
            wide.append(head.pass_room(width))
        self.done = min(self.done, width)
        while self.order and self.order[-1][1] >= wide[self.order[-1][0]]:
            p, _ = self.order.pop()
            self.widths[p] -= 1
        self.output_features.width = len(self.order)
        self.output_features.rollback()
        return 0

    cdef Py_ssize_t most(self, Py_ssize_t n) noexcept nogil:
        return self.first.most_all(n)

    cdef int learn(self, const Example* e) noexcept nogil:
        return self.first.learn_all(e)

    cdef void undo(self) noexcept nogil:
        self.first.undo_all()

    cdef int transform(self, const Example* e, Example* out, Pool* pool) noexcept nogil:
        cdef int status
        pool.n = pool.part = 0
        status = self.first.collect_all(e, self, pool)
        out.ids, out.values, out.n = pool.ids, pool.values, pool.n
        out.codes = pool.codes if e.codes != NULL else NULL
        return status

    cdef void renumber(self, Pool* pool, Py_ssize_t start) noexcept nogil:
        cdef Py_ssize_t i
        for i in range(start, pool.n):
            pool.ids[i] = self.places[pool.part][pool.ids[i]]

    def export_own(self):
        fields = {
            f"part{p}": {str(i): step.export_step() for i, step in enumerate(part)}
            for p, part in enumerate(self.parts)
        }
        if len(self.order) > FEW:  # so that no small file stands for much memory
            fields["order"] = np.array([p for p, _ in self.order], dtype=np.int64)
        return fields

    def restore_own(self, fields):
        cdef Py_ssize_t p
        if len(self.order) > FEW:
            order = fields.integers("order", (len(self.order),), 0)
            if order.tolist() != [p for p, _ in self.order]:
                raise ValueError("the features of the union are in another order")
        for p, part in enumerate(self.parts):
            child = fields.child(f"part{p}")
            for i, step in enumerate(part):
                own = child.child(str(i))
                step.restore_step(own)
                own.done()
            child.done()

    def own_bytes(self):
        steps = (step for part in self.parts for step in part)
        return TransformerState.own_bytes(self) + sum(step.own_bytes() for step in steps) + 88 * len(self.order)
