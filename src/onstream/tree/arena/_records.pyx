"""Trees to and from arrays by node, each node before its children: for files and pictures. No
example ever passes here.
"""

from libc.stdint cimport int32_t, uint8_t

import numpy as np

from ...core.arrays cimport data_of, doubles
from ...core.example cimport NO_MEMORY
from ._nodes cimport child_of, n_branches, nesting, new_node, set_branch
from ._tables cimport activate, add_value, cell_of, drop_features, ensure_label, ensure_table, widen
from .arena cimport (
    NOMINAL, NONE, NUMERIC, ROWS, Arena, ClassTable, ValueIndex, cell, cell_weights, column,
    values_in, weights,
)
from .reading import pack_values, read_trees


cdef list preorder(Arena* a, int32_t root):
    """All nodes of a tree, each before its children."""
    cdef list found = [], waiting = [root] if root >= 0 else []
    cdef int32_t i, at
    while waiting:
        i = waiting.pop()
        found.append(i)
        for at in range(n_branches(a, i) - 1, -1, -1):
            if child_of(a, i, at) != NONE:
                waiting.append(child_of(a, i, at))
    return found


cdef int question(Arena* a, int32_t i):
    """What a node asks: 0 for a cut (or nothing), 1 for a branch per nominal value, 2 for one
    nominal value."""
    if a.branches[i] != NULL:
        return 1
    return 2 if a.feature[i] != NONE and a.kind[a.feature[i]] == NOMINAL else 0


cdef dict outline(Arena* a, list nodes):
    """Shape, numbers and counts of these nodes."""
    cdef Py_ssize_t n = len(nodes), at, r, children
    cdef int32_t i
    labels = max([a.labels[<int32_t> i] for i in nodes], default=0)
    shape, numbers, counts = np.zeros((n, 5), dtype=np.int64), np.zeros((n, 9)), np.zeros((n, labels))
    for at in range(n):
        i = nodes[at]
        children = sum(child_of(a, i, <int32_t> r) != NONE for r in range(n_branches(a, i)))
        shape[at] = a.feature[i], children, a.code[i], a.tables[i] != NULL, question(a, i)
        numbers[at] = (
            a.threshold[i], a.mass[i], a.weight[i], a.last[i], a.fresh[i], a.hits_mc[i],
            a.hits_nb[i], a.gain[i], a.idle[i],
        )
        for r in range(a.labels[i]):
            counts[at, r] = a.counts[i][r]
    while labels > 0 and not counts[:, labels - 1].any():  # room that was never used
        labels -= 1
    counts = np.ascontiguousarray(counts[:, :labels])
    return {"nodes": shape, "node_numbers": numbers, "node_counts": counts}


cdef dict export_trees(Arena* a, list roots, Py_ssize_t width):
    """The trees with their tables."""
    cdef list nodes = [i for root in roots for i in preorder(a, root)]
    cdef Py_ssize_t at, r, f
    cdef int32_t i
    cdef ClassTable* t
    owners, tables, weighed, hidden = [], [], [], []
    for at in range(len(nodes)):
        i = nodes[at]
        for r in range(a.labels[i]):
            t = a.tables[i][r] if a.tables[i] != NULL else NULL
            if t != NULL:
                owners.append((at, r))
                tables.append(np.zeros((ROWS, width)))
                export_numbers(a, i, t, width, tables[-1])
                weighed.append(export_values(a, i, t))
        hidden.extend((at, f) for f in range(width) if column(a, i, f) == NONE)
    values = np.full((a.n_cells, 2), -1, dtype=np.int64)
    for f in range(min(width, a.width)):
        for r in range(a.codes[f]):
            values[a.cells[f][r]] = f, r
    return {
        **outline(a, nodes),
        "tables": np.array(owners, dtype=np.int64).reshape(-1, 2),
        "table_numbers": np.array(tables).reshape(len(tables), ROWS, width),
        **pack_values(weighed, a.n_cells),
        "hidden": np.array(hidden, dtype=np.int64).reshape(-1, 2),
        "kinds": np.array([a.kind[f] if f < a.width else 0 for f in range(width)], dtype=np.int64),
        "values": values,
        "total": a.total,
    }


cdef int export_numbers(
    Arena* a, int32_t i, ClassTable* t, Py_ssize_t width, object by_feature
) except -1:
    """Write a table of node i by feature."""
    cdef double* numeric = doubles(by_feature)
    cdef int32_t f, c, k
    for f in range(<int32_t> width):
        c = column(a, i, f)
        if c != NONE and c < t.d:
            for k in range(ROWS):
                numeric[k * width + f] = weights(t)[k * t.d + c]
    return 0


cdef tuple export_values(Arena* a, int32_t i, ClassTable* t):
    """The nominal values that have weight in a table of node i, in order, and their weights."""
    cdef ValueIndex* x = a.values[i]
    cdef int32_t c, n = min(x.n, t.cells) if x != NULL else 0
    numbers, heavy = np.zeros(n, dtype=np.int64), np.zeros(n)
    for c in range(n):
        numbers[c] = a.cells[values_in(x)[c].feature][values_in(x)[c].code]
        heavy[c] = cell_weights(t)[c]
    order = np.argsort(numbers)
    order = order[heavy[order] > 0.0]
    return numbers[order], heavy[order]


cdef int restore_table(
    Arena* a, int32_t i, ClassTable* t, Py_ssize_t width, object by_feature
) except -1:
    """The other way round; there must be nothing of a feature that was dropped."""
    by_feature = np.ascontiguousarray(by_feature)
    cdef double* numeric = doubles(by_feature)
    cdef int32_t f, c, k
    for f in range(<int32_t> width):
        c = column(a, i, f)
        if c == NONE:
            if numeric[f] != 0.0:
                raise ValueError("a table knows a feature that its node has dropped")
            continue
        for k in range(ROWS):
            weights(t)[k * t.d + c] = numeric[k * width + f]
    return 0


cdef list restore_trees(
    Arena* a, object fields, Py_ssize_t width, Py_ssize_t n_labels, dict categories
):
    """Build what `export_trees` wrote; returns the roots in order. Node ids are places in the arrays."""
    saved = read_trees(fields, width, n_labels)
    a.total = saved.total
    restore_features(a, saved.kinds, saved.values)
    roots = restore_nodes(a, saved.nodes, saved.node_numbers, saved.node_counts, saved.kinds)
    restore_dropped(a, saved.hidden, len(saved.nodes), width)
    restore_tables(a, saved, n_labels)
    for f in range(width):
        values = categories.get(f, ())
        if a.kind[f] == (NUMERIC if values else NOMINAL) or a.codes[f] > len(values):
            raise ValueError(f"feature {f} is of another kind, or has other values, in the tree")
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


cdef list restore_nodes(Arena* a, object shape, object numbers, object counts, object kinds):
    """Make all nodes, each before its children; returns the roots."""
    cdef Py_ssize_t at, r, f
    cdef int32_t i, parent
    roots, waiting = [], []  # waiting: [parent, children still to come]
    for at in range(len(shape)):
        f, children, code, active, nominal = shape[at].tolist()
        if f >= len(kinds) or (f < 0 and (children or nominal)) or active > 1 or nominal > 2:
            raise ValueError(f"node {at} is not a node of a tree")
        if f >= 0 and (children < 1 or (nominal != 1 and children != 2)):
            raise ValueError(f"node {at} has {children} children")
        if nominal and kinds[f] != NOMINAL or f >= 0 and not nominal and kinds[f] != NUMERIC:
            raise ValueError(f"node {at} splits on a feature of another kind")
        if nominal == 2 and numbers[at, 0] not in range(a.codes[f]):
            raise ValueError(f"node {at} asks for a value that its feature does not have")
        parent = waiting[-1][0] if waiting else NONE
        i = new_node(a, parent, numbers[at, 1])
        enough(i)
        a.feature[i], a.threshold[i] = f, numbers[at, 0]
        a.weight[i], a.last[i], a.fresh[i] = numbers[at, 2], numbers[at, 3], numbers[at, 4]
        a.hits_mc[i], a.hits_nb[i], a.gain[i] = numbers[at, 5], numbers[at, 6], numbers[at, 7]
        a.idle[i] = numbers[at, 8]
        if parent == NONE:
            roots.append(i)
        else:
            add_child(a, parent, i, code)
            waiting[-1][1] -= 1
        if nominal == 1:
            enough(set_branch(a, i, 0, NONE))
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


cdef int attach_alternate(Arena* a, int32_t root, int32_t owner) except -1:
    """Let a restored tree be an alternate of node `owner`, at the depth of that node."""
    a.parent[root] = owner
    if nesting(a, root) > NESTED:
        raise ValueError(f"more than {NESTED} alternates are nested")
    for node in preorder(a, root):
        a.depth[<int32_t> node] += a.depth[owner]
    return 0


cdef int add_child(Arena* a, int32_t parent, int32_t i, object code) except -1:
    """Make node i the next child of its parent, or that of the nominal value `code`."""
    if a.branches[parent] == NULL:
        if a.left[parent] == NONE:
            a.left[parent] = i
        else:
            a.right[parent] = i
        return 0
    if not 0 <= code < a.codes[a.feature[parent]]:
        raise ValueError(f"node {i} stands in a branch that does not exist")
    if code < a.branches[parent][0] and a.branches[parent][1 + <int32_t> code] != NONE:
        raise ValueError(f"node {i} stands in a branch that is taken")
    return enough(set_branch(a, parent, code, i))


cdef int restore_tables(Arena* a, object saved, Py_ssize_t n_labels) except -1:
    """The table of each label at each node that keeps some."""
    cdef Py_ssize_t at, r
    cdef int32_t i
    cdef ClassTable* t
    for at in range(len(saved.tables)):
        i, r = saved.tables[at]
        if i >= a.used or r >= n_labels or a.tables[i] == NULL:
            raise ValueError("a table belongs to no active node")
        enough(ensure_label(a, i, <int32_t> r))
        if a.tables[i][r] != NULL:
            raise ValueError("two tables belong to one label of a node")
        numbers, heavy = saved.weighed[at]
        known = saved.values[numbers].tolist()
        for f, code in known:
            if column(a, i, <int32_t> f) == NONE:
                raise ValueError("a table knows a feature that its node has dropped")
            enough(add_value(a, i, f, code))
        t = ensure_table(a, i, <int32_t> r)
        if t == NULL:
            raise MemoryError("onstream: no memory for the tables of a tree")
        restore_table(a, i, t, len(saved.kinds), saved.table_numbers[at])
        for (f, code), w in zip(known, heavy.tolist()):
            cell_weights(t)[cell(a, i, f, code)] = w
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
    """Raise a MemoryError for NO_MEMORY."""
    if status == NO_MEMORY:
        raise MemoryError("onstream: no memory for the tree")
    return 0
