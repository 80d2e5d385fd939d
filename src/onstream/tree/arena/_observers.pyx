"""Targets by value of one feature (E-BST of FIMT-DD, quantised), and where to cut them."""

from cpython.mem cimport PyMem_RawRealloc
from libc.math cimport floor, sqrt
from libc.stdint cimport int32_t
from libc.string cimport memmove

from ...core.example cimport NO_MEMORY
from ._split cimport null_split
from .arena cimport Arena

cdef enum:
    FIRST = 30  # values kept as they are before slots are made

cdef double LEAST_SIDE = 5.0  # weight that both sides of a split must have
cdef double NO_GAIN = 1e-12   # of the variance: a reduction that may be rounding


cdef inline void join(Slot* s, const Slot* t) noexcept nogil:
    """The statistics of both."""
    cdef double n = s.n + t.n, apart = t.mean - s.mean
    s.m2 += t.m2 + apart * apart * (s.n * t.n / n)
    s.mean += apart * (t.n / n)
    s.x += (t.x - s.x) * (t.n / n)
    s.n = n


cdef inline int32_t next_room(int32_t n) noexcept nogil:
    """Slots to make room for where n are in use: a few more, since most observers never have many, and
    never more than are reckoned."""
    return <int32_t> min(n + n // 2 + 2, roomy(max(1, n)))


cdef int make_room(Arena* a, Observer* o) noexcept nogil:
    """Make room for one more slot."""
    cdef int32_t room
    cdef void* moved
    if o.n < o.room:
        return 0
    room = next_room(o.room)
    moved = PyMem_RawRealloc(o.slots, room * sizeof(Slot))
    if moved == NULL:
        return NO_MEMORY
    a.bytes += (room - o.room) * sizeof(Slot)
    o.slots = <Slot*> moved
    o.room = room
    return 0


cdef int insert(Arena* a, Observer* o, const Slot* s) noexcept nogil:
    """Add to the slot of this key, or make one."""
    cdef int32_t low = 0, high = o.n, mid
    while low < high:
        mid = (low + high) // 2
        if o.slots[mid].key < s.key:
            low = mid + 1
        else:
            high = mid
    if low < o.n and o.slots[low].key == s.key:
        join(&o.slots[low], s)
        return 0
    if make_room(a, o) != 0:
        return NO_MEMORY
    memmove(o.slots + low + 1, o.slots + low, (o.n - low) * sizeof(Slot))
    o.slots[low] = s[0]
    a.n_slots += roomy(o.n + 1) - roomy(o.n)
    o.n += 1
    return 0


cdef inline double slot_of(double x, double radius) noexcept nogil:
    """The number of a value's slot: finite, however narrow slots are."""
    return min(max(floor(x / radius), -1e299), 1e299)


cdef void watch(Arena* a, Observer* o, double x, double y, double w, bint exact) noexcept nogil:
    """Add a value and its target; `make_room` was called before."""
    cdef Slot s
    s.x, s.n, s.mean, s.m2 = x, w, y, 0.0
    s.key = x if o.radius == 0.0 else slot_of(x, o.radius)
    if insert(a, o, &s) != 0:
        return
    o.values += 1
    if not exact and o.radius == 0.0 and o.values >= FIRST and o.n > 1:
        quantise(a, o)


cdef void quantise(Arena* a, Observer* o) noexcept nogil:
    """From single values to slots a third of their deviation wide."""
    cdef double n = 0.0, mean = 0.0, m2 = 0.0
    cdef int32_t i, last = 0
    for i in range(o.n):
        add(&n, &mean, &m2, o.slots[i].x, o.slots[i].n)
    o.radius = sqrt(m2 / n) / 3.0
    if not o.radius > 0.0:
        o.radius = 0.0
        return
    for i in range(o.n):
        o.slots[i].key = slot_of(o.slots[i].x, o.radius)
        if i > 0 and o.slots[i].key == o.slots[last].key:
            join(&o.slots[last], &o.slots[i])
        else:
            if i > 0:
                last += 1
            o.slots[last] = o.slots[i]
    a.n_slots += roomy(last + 1) - roomy(o.n)
    o.n = last + 1
    give_back(a, o)


cdef void give_back(Arena* a, Observer* o) noexcept nogil:
    """Free the room that quantising has left empty."""
    cdef int32_t room = next_room(o.n)
    cdef void* moved
    if room < o.room:
        moved = PyMem_RawRealloc(o.slots, room * sizeof(Slot))
        if moved != NULL:
            a.bytes -= (o.room - room) * sizeof(Slot)
            o.slots, o.room = <Slot*> moved, room


cdef double variance(double m2, double n) noexcept nogil:
    return max(0.0, m2 / n) if n > 0.0 else 0.0


cdef double deviation(double m2, double n) noexcept nogil:
    return sqrt(variance(m2, n))


cdef Spread spread_of(str criterion):
    return deviation if criterion == "sdr" else variance


cdef inline Slot together(const Observer* o) noexcept nogil:
    """The statistics of all slots."""
    cdef Slot whole = o.slots[0]
    cdef int32_t i
    for i in range(1, o.n):
        join(&whole, &o.slots[i])
    return whole


cdef inline Slot without(const Slot* whole, const Slot* part) noexcept nogil:
    """The statistics of the whole without a part of it."""
    cdef Slot rest = whole[0]
    cdef double apart
    rest.n = whole.n - part.n
    rest.mean = (whole.n * whole.mean - part.n * part.mean) / rest.n
    apart = part.mean - rest.mean
    rest.m2 = max(0.0, whole.m2 - part.m2 - apart * apart * (part.n * rest.n / whole.n))
    return rest


cdef Slot side_of(const Observer* o, const Split* s, int32_t branch) noexcept nogil:
    """The statistics of what a split in two sends left (0) or right (1)."""
    cdef Slot side
    cdef int32_t i
    cdef bint right
    side.key = side.x = side.n = side.mean = side.m2 = 0.0
    for i in range(o.n):
        right = o.slots[i].key != s.threshold if s.nominal else o.slots[i].x > s.threshold
        if right == branch:
            if side.n > 0.0:
                join(&side, &o.slots[i])
            else:
                side = o.slots[i]
    return side


cdef double gain_of(const Slot* whole, const Slot* part, Spread spread) noexcept nogil:
    """How much less spread is left on both sides; 0 if one of them is too light."""
    cdef double before = spread(whole.m2, whole.n), after
    cdef Slot rest = without(whole, part)
    if part.n < LEAST_SIDE or rest.n < LEAST_SIDE:
        return 0.0
    after = (part.n * spread(part.m2, part.n) + rest.n * spread(rest.m2, rest.n)) / whole.n
    return before - after if before - after > NO_GAIN * before else 0.0


cdef Split best_cut(const Observer* o, int32_t feature, Spread spread) noexcept nogil:
    """The cut of this feature that leaves least spread; gain 0 if there is none."""
    cdef Split split = null_split()
    cdef Slot whole, left
    cdef double gain
    cdef int32_t i
    split.feature = feature
    if o.n < 2:
        return split
    whole, left = together(o), o.slots[0]
    for i in range(1, o.n):
        gain = gain_of(&whole, &left, spread)
        if gain > split.gain:
            split.gain = gain
            split.threshold = 0.5 * (o.slots[i - 1].x + o.slots[i].x)
        join(&left, &o.slots[i])
    return split


cdef Split best_value(const Observer* o, int32_t feature, Spread spread) noexcept nogil:
    """The nominal value that, apart from all others, leaves least spread."""
    cdef Split split = null_split()
    cdef Slot whole
    cdef double gain
    cdef int32_t i
    split.feature, split.nominal = feature, True
    if o.n < 2:
        return split
    whole = together(o)
    for i in range(o.n):
        gain = gain_of(&whole, &o.slots[i], spread)
        if gain > split.gain:
            split.gain, split.threshold = gain, o.slots[i].key
    return split


cdef Split each_value(const Observer* o, int32_t feature, Spread spread) noexcept nogil:
    """One branch for each nominal value."""
    cdef Split split = null_split()
    cdef Slot whole
    cdef double before, after = 0.0
    cdef int32_t i, heavy = 0
    split.feature, split.nominal, split.by_value = feature, True, True
    if o.n < 2:
        return split
    whole = together(o)
    before = spread(whole.m2, whole.n)
    for i in range(o.n):
        after += o.slots[i].n / whole.n * spread(o.slots[i].m2, o.slots[i].n)
        heavy += o.slots[i].n >= LEAST_SIDE
    if heavy >= 2 and before - after > NO_GAIN * before:
        split.gain = before - after
    return split
