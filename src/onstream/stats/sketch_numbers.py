"""What a sketch of `datasketches` holds, as numbers and names, and the sketch again from them.

The package's own bytes are never kept: its readers check little, and wrong bytes corrupt memory.
What it reads here was written here, from numbers that were checked one by one.
"""

import struct
from typing import Any

import msgspec
import numpy as np

from ..core.state_reader import StateReader

MOST = 2**62  # of whole numbers: half of what fits, so that two can be added

# -- CountMin -------------------------------------------------------------------------------------

COUNT_MIN_EMPTY = 3  # the byte that says so


def export_count_min(sketch: Any, shape: tuple[int, int]) -> dict[str, Any]:
    """The table of counts, a row for each hash, and the sum of the weights."""
    width, depth = shape
    data = sketch.serialize()
    table = np.frombuffer(data, "<f8", offset=24).reshape(depth, width)
    return {"total": float(sketch.total_weight), "table": table}


def count_min(fields: StateReader, new: Any, shape: tuple[int, int]) -> Any:
    """A sketch with such a table; `new()` is an empty one."""
    width, depth = shape
    total = fields.number("total", 0.0)
    table = fields.array("table", (depth, width))
    sums = table.sum(axis=1)
    if (table < 0.0).any() or not (np.abs(sums - total) <= 1e-6 * total).all():
        raise ValueError("table holds counts that do not add up")
    sketch = new()
    head = bytearray(sketch.serialize())
    head[COUNT_MIN_EMPTY] = 0
    data = bytes(head) + struct.pack("<d", total) + table.astype("<f8").tobytes()
    return type(sketch).deserialize(data)


# -- HyperLogLog ----------------------------------------------------------------------------------

LIST, SET, REGISTERS = 8, 9, 10  # modes of a sketch with a byte for each register
COMPACT, MERGED = 8, 16  # flags


def export_hyper_log_log(sketch: Any) -> dict[str, Any]:
    """The coupons (hashes) of few items, or the registers of many."""
    data = sketch.serialize_compact()
    if data[7] == REGISTERS:
        return {
            "hip": struct.unpack_from("<d", data, 8)[0],
            "merged": bool(data[5] & MERGED),
            "registers": np.frombuffer(data, np.uint8, offset=40).astype(np.int64),
        }
    coupons = np.frombuffer(data, "<u4", offset=12 if data[7] == SET else 8)
    return {"coupons": np.sort(coupons).astype(np.int64)}


def hyper_log_log(fields: StateReader, new: Any, b: int) -> Any:
    """A sketch with such coupons or registers."""
    if not fields.missing("coupons"):
        coupons = fields.integers("coupons", (-1,), 1 << 26, 2**32 - 1)
        n = len(coupons)
        most = 7 if b < 8 else 3 * 2 ** (b - 3) // 4  # more become registers
        if not 0 < n <= max(7, most) or (np.diff(coupons) <= 0).any():
            raise ValueError("coupons are none, too many, or not in order")
        if n <= 7:
            head = bytes([2, 1, 7, b, 3, COMPACT, n, LIST])
        else:
            head = bytes([3, 1, 7, b, 5, COMPACT, 0, SET]) + struct.pack("<I", n)
        return type(new()).deserialize(head + coupons.astype("<u4").tobytes())
    hip = fields.number("hip", 0.0)
    merged = fields.flag("merged") is True
    registers = fields.integers("registers", (2**b,), 0, 63)
    powers = np.ldexp(1.0, -registers)  # sums of at most 2**21 powers of 2 are exact
    numbers = (hip, powers[registers < 32].sum(), powers[registers >= 32].sum())
    head = bytes([10, 1, 7, b, 0, MERGED * merged, 0, REGISTERS]) + struct.pack(
        "<dddII", *numbers, np.count_nonzero(registers == 0), 0
    )
    return type(new()).deserialize(head + registers.astype(np.uint8).tobytes())


# -- FrequentItems --------------------------------------------------------------------------------


def export_frequent_items(sketch: Any, all_items: Any) -> dict[str, Any]:
    """Items and their counts, most frequent first, and what every count may lack."""
    rows = [
        (msgspec.json.decode(row[0]), int(row[2])) for row in sketch.get_frequent_items(all_items)
    ]
    rows.sort(key=lambda row: (-row[1], str(row[0]), str(type(row[0]))))
    return {
        "total": int(sketch.total_weight),
        "offset": int(sketch.get_upper_bound("")),  # of an item that is not there: texts are JSON
        "items": [item for item, _ in rows],
        "counts": np.array([count for _, count in rows], dtype=np.int64),
    }


def frequent_items(fields: StateReader, new: Any, b: int) -> Any:
    """A sketch with such items and counts."""
    total, offset = fields.integer("total", 0, MOST), fields.integer("offset", 0, MOST)
    items = fields.names("items", (str, int))
    counts = fields.integers("counts", (len(items),), 1, MOST)
    if len(items) > 3 * 2**b // 4 or len({(type(item), item) for item in items}) < len(items):
        raise ValueError("items are too many, or one is there twice")
    if sum(counts.tolist()) + offset > total:
        raise ValueError("counts are more than the total")
    sketch = new()
    texts = [msgspec.json.encode(item) for item in items]
    places = 3  # log2 of the table to begin with
    while 3 * 2**places < 4 * len(items):
        places += 1
    head = bytes([4, 1, 10, b, places, 0, 0, 0])
    data = [
        head,
        struct.pack("<IIQQ", len(items), 0, total, offset),
        counts.astype("<u8").tobytes(),
    ]
    data += [struct.pack("<I", len(text)) + text for text in texts]
    return type(sketch).deserialize(b"".join(data))


# -- KLL ------------------------------------------------------------------------------------------

M = 8  # the least room of a level


def capacity(k: int, levels: int) -> int:
    """How many values fit into a sketch of n levels: each has 2/3 the room of the next.

    >>> capacity(8, 3), capacity(200, 1), capacity(200, 2)
    (24, 200, 333)
    """
    rooms = ((2 * (k << depth) // 3**depth + 1) >> 1 for depth in range(levels))
    return sum(max(M, room) for room in rooms)


def export_kll(sketch: Any) -> dict[str, Any]:
    """The values of each level, sorted; one of level i stands for 2**i."""
    n = int(sketch.n)
    data = sketch.serialize()
    if n == 1:
        low, k, starts, at = 0, int(sketch.k), [0], 8
    else:
        k, levels = struct.unpack_from("<HB", data, 16)
        starts = list(struct.unpack_from(f"<{levels}I", data, 20))
        low, at = starts[0], 20 + 4 * levels + 16
    values = np.frombuffer(data, "<f8", offset=at).astype(np.float64)
    ends = [*starts[1:], low + len(values)]
    sizes = [end - start for start, end in zip(starts, ends, strict=True)]
    values[: sizes[0]].sort()
    values += 0.0  # not -0.0, which stands before or after 0.0 as it came
    return {
        "count": n,
        "least_k": k,  # of all sketches that were merged
        "low": float(sketch.get_min_value()) + 0.0,
        "high": float(sketch.get_max_value()) + 0.0,
        "sizes": np.array(sizes, dtype=np.int64),
        "values": values,
    }


def kll(fields: StateReader, new: Any, k: int) -> Any:
    """A sketch with such values."""
    n = fields.integer("count", 1, 2**55)  # more would need more levels than the package has
    sketch = new()
    least_k = fields.integer("least_k", 8, k)
    low, high = fields.number("low"), fields.number("high")
    sizes = fields.integers("sizes", (-1,), 0, 2**31).tolist()
    values = fields.array("values", (sum(sizes),))
    if not 1 <= len(sizes) <= 56 or sizes[-1] == 0:
        raise ValueError("sizes are not those of a sketch")
    room = capacity(k, len(sizes))
    if len(values) > room or sum(size << i for i, size in enumerate(sizes)) != n:
        raise ValueError(f"values do not stand for {n} values")
    starts = np.cumsum([room - len(values), *sizes])
    level = np.repeat(np.arange(len(sizes)), sizes)
    if (np.diff(values)[np.diff(level) == 0] < 0.0).any():
        raise ValueError("values are not in order")
    if not (low <= values.min() and values.max() <= high):
        raise ValueError("values lie beyond low and high")
    if n == 1:
        sketch.update(float(values[0]))
        return sketch
    head = bytes([5, 1, 15, 2, *k.to_bytes(2, "little"), M, 0])  # 2: the first level is sorted
    data = head + struct.pack("<QHBB", n, least_k, len(sizes), 0)
    data += starts[:-1].astype("<u4").tobytes() + struct.pack("<dd", low, high)
    return type(sketch).deserialize(data + values.astype("<f8").tobytes())


# -- Reservoir ------------------------------------------------------------------------------------


def export_reservoir(sketch: Any) -> dict[str, Any]:
    """The sample, each item with the weight it stands for."""
    rows = list(sketch)
    return {
        "items": [msgspec.json.decode(item) for item, _ in rows],
        "weights": np.array([weight for _, weight in rows], dtype=np.float64),
    }


def reservoir(fields: StateReader, new: Any, k: int) -> Any:
    """A sketch of that sample.

    It takes k items as they are, with their weights; what comes next is drawn as it would have
    been, for these weights are all that the sampling knows of the past.
    """
    items = fields.names("items", (str, int))
    weights = fields.array("weights", (len(items),))
    if len(items) > k or (weights <= 0.0).any():
        raise ValueError(f"there are more than {k} items, or one without weight")
    sketch = new()
    for item, weight in zip(items, weights.tolist(), strict=True):
        sketch.update(msgspec.json.encode(item).decode(), weight)
    return sketch
