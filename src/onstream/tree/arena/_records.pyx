"""A tree as arrays by node, each node before its children: what files keep, and what pictures are
drawn from. Nothing here is in the way of an example.
"""

from libc.stdint cimport int32_t, uint8_t

from bisect import bisect_right

import numpy as np

from ...core.arrays cimport data_of, doubles
from ._nodes cimport (
    NOBODY, NO_MEMORY, NOMINAL, NUMERIC, UNKNOWN, Arena, ClassTable, activate, cell, cell_of, child_of,
    column, drop_features, ensure_label, ensure_table, new_node, numbers, set_branch, widen,
)


LARGEST = 1.01e120  # of values; they are learned up to 1e120
HEAVIEST = 1e80     # of sums of weights; all examples together have at most 1e50
WEIGHTS = [1, 2, 3, 4, 5, 6, 8]  # columns of node_numbers that hold such sums
DEEPEST = 1000  # levels of alternate trees in alternate trees; a few are many


cdef list preorder(Arena* a, int32_t root):
    """All nodes of a tree, each before its children."""
    cdef list found = [], waiting = [root] if root >= 0 else []
    cdef int32_t i, at, child
    while waiting:
        i = waiting.pop()
        found.append(i)
        at, children = 0, []
        while True:
            child = child_of(a, i, at)
            if child == NO_MEMORY:
                break
            if child != NOBODY:
                children.append(child)
            at += 1
        waiting.extend(reversed(children))
    return found


cdef object outline(Arena* a, roots):
    """Shape, numbers and counts of the nodes, in an order that does not depend on how they
    came about."""
    cdef list nodes = [i for root in roots for i in preorder(a, root)]
    cdef Py_ssize_t n = len(nodes), at, r, children
    cdef int32_t i
    labels = max([a.labels[<int32_t> i] for i in nodes], default=0)
    shape = np.zeros((n, 5), dtype=np.int64)
    told = np.zeros((n, 9))
    counts = np.zeros((n, labels))
    for at in range(n):
        i = nodes[at]
        children = 0
        if a.feature[i] != NOBODY:
            children = 2
            if a.fan[i] != NULL:
                children = sum(a.fan[i][1 + r] != NOBODY for r in range(a.fan[i][0]))
        shape[at] = a.feature[i], children, a.code[i], a.tables[i] != NULL, a.fan[i] != NULL
        told[at] = (a.threshold[i], a.mass[i], a.weight[i], a.last[i], a.fresh[i],
                    a.hits_mc[i], a.hits_nb[i], a.gain[i], a.idle[i])
        for r in range(a.labels[i]):
            counts[at, r] = a.counts[i][r]
    while labels > 0 and not counts[:, labels - 1].any():  # room that nobody used
        labels -= 1
    counts = np.ascontiguousarray(counts[:, :labels])
    return {"nodes": shape, "node_numbers": told, "node_counts": counts}


cdef dict export_trees(Arena* a, list roots, Py_ssize_t width):
    """The trees with their tables."""
    cdef list nodes = [i for root in roots for i in preorder(a, root)]
    cdef Py_ssize_t at, r, f
    cdef int32_t i
    cdef ClassTable* t
    place, tables, cells, hidden = [], [], [], []
    for at in range(len(nodes)):
        i = nodes[at]
        for r in range(a.labels[i]):
            t = a.tables[i][r] if a.tables[i] != NULL else NULL
            if t != NULL:
                place.append((at, r))
                row, own = np.zeros((5, width)), np.zeros(a.n_cells)
                told_table(a, i, t, width, row, own)
                tables.append(row)
                cells.append(own)
        hidden.extend((at, f) for f in range(width) if column(a, i, f) == NOBODY)
    values = np.full((a.n_cells, 2), -1, dtype=np.int64)
    for f in range(min(width, a.width)):
        for r in range(a.codes[f]):
            values[a.cells[f][r]] = f, r
    return {
        **outline(a, roots),
        "tables": np.array(place, dtype=np.int64).reshape(-1, 2),
        "table_numbers": np.array(tables).reshape(len(tables), 5, width),
        "table_values": np.array(cells).reshape(len(cells), a.n_cells),
        "hidden": np.array(hidden, dtype=np.int64).reshape(-1, 2),
        "kinds": np.array([a.kind[f] if f < a.width else 0 for f in range(width)], dtype=np.int64),
        "values": values,
        "total": a.total,
    }


cdef int told_table(
    Arena* a, int32_t i, ClassTable* t, Py_ssize_t width, object row, object own
) except -1:
    """A table of node i, by feature and by nominal value."""
    cdef double* numeric = doubles(row)
    cdef double* nominal = doubles(own)
    cdef int32_t f, r, c, k
    for f in range(<int32_t> width):
        c = column(a, i, f)
        if c == NOBODY:
            continue
        if c < t.d:
            for k in range(5):
                numeric[k * width + f] = numbers(t)[k * t.d + c]
        for r in range(a.codes[f]):
            c = cell(a, i, f, r)
            if c < t.cells:
                nominal[a.cells[f][r]] = numbers(t)[5 * t.d + c]
    return 0


cdef int put_table(
    Arena* a, int32_t i, ClassTable* t, Py_ssize_t width, object row, object own
) except -1:
    """The other way round; what was dropped must not be there."""
    row, own = np.ascontiguousarray(row), np.ascontiguousarray(own)
    cdef double* numeric = doubles(row)
    cdef double* nominal = doubles(own)
    cdef int32_t f, r, c, k
    for f in range(<int32_t> width):
        c = column(a, i, f)
        if c == NOBODY:
            if numeric[f] != 0.0:
                raise ValueError("a table knows a feature that its node has dropped")
            continue
        for k in range(5):
            numbers(t)[k * t.d + c] = numeric[k * width + f]
        for r in range(a.codes[f]):
            numbers(t)[5 * t.d + cell(a, i, f, r)] = nominal[a.cells[f][r]]
    return 0


cdef list restore_trees(Arena* a, object fields, Py_ssize_t width, Py_ssize_t n_labels):
    """Build what `export_trees` told; the roots in order. Node ids are places in the arrays."""
    shape = fields.integers("nodes", (-1, 5), -1, 2**31 - 1)
    cdef Py_ssize_t n = len(shape)
    told = fields.array("node_numbers", (n, 9))
    counts = fields.array("node_counts", (n, -1))
    place = fields.integers("tables", (-1, 2), 0, max(n, n_labels))
    tables = fields.array("table_numbers", (len(place), 5, width))
    kinds = fields.integers("kinds", (width,), UNKNOWN, NOMINAL)
    values = fields.integers("values", (-1, 2), 0, 2**31 - 1)
    cells = fields.array("table_values", (len(place), len(values)))
    hidden = fields.integers("hidden", (-1, 2), 0, max(n, width))
    a.total = fields.number("total", 0.0)
    if counts.shape[1] > n_labels:
        raise ValueError(f"node_counts knows {counts.shape[1]} labels, there are {n_labels}")
    if (counts < 0.0).any() or (told[:, 1:] < 0.0).any() or (cells < 0.0).any():
        raise ValueError("a weight of the tree is negative")
    if (tables[:, 0] < 0.0).any() or (tables[:, 2] < 0.0).any():
        raise ValueError("table_numbers holds a negative weight or sum of squares")
    if (counts > HEAVIEST).any() or (cells > HEAVIEST).any() or (tables[:, 0] > HEAVIEST).any():
        raise ValueError(f"a weight of the tree is beyond {HEAVIEST:g}")
    if (np.abs(tables[:, [1, 3, 4]]) > LARGEST).any() or (told[:, WEIGHTS] > HEAVIEST).any():
        raise ValueError("table_numbers or node_numbers holds a value or a weight that cannot be")
    restore_features(a, kinds, values)
    roots = restore_nodes(a, shape, told, counts, kinds)
    restore_dropped(a, hidden, n, width)
    restore_tables(a, place, tables, cells, n_labels)
    return roots


cdef int restore_features(Arena* a, object kinds, object values) except -1:
    """Kinds of the features, and which feature each nominal value belongs to."""
    cdef Py_ssize_t at, r, f, width = len(kinds)
    widen(a, width)
    a.known = width
    for f in range(width):
        a.kind[f] = kinds[f]
    for at in range(len(values)):
        f, r = values[at]
        if f >= width or kinds[f] != NOMINAL or r != a.codes[f]:
            raise ValueError("values does not number nominal values one by one")
        enough(cell_of(a, <int32_t> f, <int32_t> r))
    return 0


cdef list restore_nodes(Arena* a, object shape, object told, object counts, object kinds):
    """All nodes, each before its children; the roots."""
    cdef Py_ssize_t at, r, f
    cdef int32_t i, parent
    roots, waiting = [], []  # waiting: [parent, children still to come]
    for at in range(len(shape)):
        f, children, code, active, nominal = shape[at].tolist()
        if f >= len(kinds) or (f < 0 and (children or nominal)) or active > 1 or nominal > 1:
            raise ValueError(f"node {at} is not a node of a tree")
        if f >= 0 and (children < 1 or (not nominal and children != 2)):
            raise ValueError(f"node {at} has {children} children")
        if nominal and kinds[f] != NOMINAL or f >= 0 and not nominal and kinds[f] != NUMERIC:
            raise ValueError(f"node {at} splits on a feature of another kind")
        parent = waiting[-1][0] if waiting else NOBODY
        i = new_node(a, parent, told[at, 1])
        enough(i)
        a.feature[i], a.threshold[i] = f, told[at, 0]
        a.weight[i], a.last[i], a.fresh[i] = told[at, 2], told[at, 3], told[at, 4]
        a.hits_mc[i], a.hits_nb[i], a.gain[i] = told[at, 5], told[at, 6], told[at, 7]
        a.idle[i] = told[at, 8]
        if parent == NOBODY:
            roots.append(i)
        else:
            hang(a, parent, i, code)
            waiting[-1][1] -= 1
        if nominal:
            enough(set_branch(a, i, 0, NOBODY))
        if children:
            waiting.append([i, children])
        while waiting and waiting[-1][1] == 0:
            waiting.pop()
        for r in range(counts.shape[1]):
            if counts[at, r] > 0.0:
                enough(ensure_label(a, i, <int32_t> r))
                a.counts[i][r] = counts[at, r]
        if active:
            enough(activate(a, i))
    if waiting:
        raise ValueError("the tree ends before its last leaf")
    return roots


cdef int check_nesting(list roots, list owners) except -1:
    """Alternates may have alternates, but learning goes down with each: not too many."""
    cdef list levels = [0]
    for root, owner in zip(roots[1:], owners):
        if owner >= root:
            raise ValueError("an alternate tree belongs to a node that comes later")
        levels.append(levels[bisect_right(roots, owner) - 1] + 1)
        if levels[-1] > DEEPEST:
            raise ValueError(f"alternate trees stand more than {DEEPEST} levels deep in one another")
    return 0


cdef int hang(Arena* a, int32_t parent, int32_t i, object code) except -1:
    """Node i becomes the next child of its parent, in the branch of a nominal value."""
    if a.fan[parent] == NULL:
        if a.left[parent] == NOBODY:
            a.left[parent] = i
        else:
            a.right[parent] = i
        return 0
    if not 0 <= code < a.codes[a.feature[parent]]:
        raise ValueError(f"node {i} stands in a branch that does not exist")
    if code < a.fan[parent][0] and a.fan[parent][1 + <int32_t> code] != NOBODY:
        raise ValueError(f"node {i} stands in a branch that is taken")
    return enough(set_branch(a, parent, code, i))


cdef int restore_tables(Arena* a, object place, object tables, object cells, Py_ssize_t n_labels) except -1:
    """The table of each label at each node that keeps some."""
    cdef Py_ssize_t at, r
    cdef int32_t i
    cdef ClassTable* t
    for at in range(len(place)):
        i, r = place[at]
        if i >= a.used or r >= n_labels or a.tables[i] == NULL:
            raise ValueError("a table belongs to no active node")
        enough(ensure_label(a, i, <int32_t> r))
        if a.tables[i][r] != NULL:
            raise ValueError("two tables belong to one label of a node")
        t = ensure_table(a, i, <int32_t> r)
        if t == NULL:
            raise MemoryError("onstream: no memory for the tables of a tree")
        put_table(a, i, t, tables.shape[2], tables[at], cells[at])
    return 0


cdef int restore_dropped(Arena* a, object hidden, Py_ssize_t n, Py_ssize_t width) except -1:
    """Which node has dropped which features: pairs of their numbers."""
    by_node = {}
    for at, f in hidden.tolist():
        if at >= n or f >= width or a.tables[<int32_t> at] == NULL:
            raise ValueError("hidden names a node or feature that does not exist")
        by_node.setdefault(at, []).append(f)
    for at, features in by_node.items():
        poor = np.zeros(a.width, dtype=np.uint8)
        poor[features] = 1
        enough(drop_features(a, at, <const uint8_t*> data_of(poor)))
    return 0


cdef int enough(int32_t status) except -1:
    if status == NO_MEMORY:
        raise MemoryError("onstream: no memory for the tree")
    return 0
