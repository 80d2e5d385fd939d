"""A model as bytes: one safetensors file with a JSON header and a SHA-256 over all of it.

The header's metadata entry "onstream" holds the format version, the class, its parameters and the
plain numbers of the state; arrays are tensors; lists of names are byte tensors with offsets. A
state inside a state is a folder: its tensors are called "outer/inner". A parameter that is itself
a learner or a part (a kernel, a detector) is stored as its class and parameters. A second entry,
"notes", may hold anything that is worth keeping beside the model, which does not read it.
Nothing is executed on reading: no pickle, and only classes of the registry. A parameter that is a
function is not stored, only its name; it must be given again to `loads`.
"""

import hashlib
import math
import os
from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import Any

import msgspec
import numpy as np
import safetensors

from ..base import Learner, Part, learners, parts
from ..base.learner import revive
from ..base.parameters import parameters
from ..base.registry import name_in_files, public_class

FORMAT = 1
NO_SUM = "0" * 64
BEGINNING = b'{"__metadata__":{"onstream":'  # after the length of the header, in 8 bytes
SUM_MARK = b'"sha256":"'
DTYPES = {"float64": "F64", "int64": "I64", "uint8": "U8"}
CLASS = "class of onstream"  # the key under which a parameter of a class of ours is stored
DEEPEST = 50  # levels of parts within parts
FEW = 2**18  # features of unions that a file need not list


def whole_number(text: str) -> int:
    """An int from its text, written as `str` writes it."""
    number = int(text)
    if str(number) != text:
        raise ValueError(f"{text!r:.40} is not how an int is written")
    return number


NAME_KINDS: dict[str, Callable[[str], Any]] = {
    "str": str,
    "int": whole_number,
    "bool": lambda text: {"True": True, "False": False}[text],
}


class ModelFileError(ValueError):
    """These bytes are not a model that can be loaded; the message says why."""


class Header(msgspec.Struct, forbid_unknown_fields=True):
    """What the metadata says of the model."""

    format: int
    cls: str
    params: dict[str, Any]
    functions: list[str]
    numbers: dict[str, Any]
    names: list[str]


def holders() -> dict[str, type[Any]]:
    """What a file may hold: learners, and parts that have a state, such as detectors."""
    return {**{n: c for n, c in parts().items() if hasattr(c, "_restore")}, **learners()}


def dumps(model: Any, notes: Mapping[str, Any] | None = None) -> bytes:
    """The model as bytes; equal models (and notes) give equal bytes."""
    cls = type(model).__name__
    if holders().get(cls) is not public_class(type(model)):
        raise TypeError(f"save: {cls} is not a learner of onstream, so load could not build it.")
    header = Header(FORMAT, cls, {}, [], {}, [])
    for name, value in model.params.items():
        if callable(value) and not isinstance(value, Part):
            header.functions.append(name)
        else:
            header.params[name] = to_json(cls, name, value)
    tensors: dict[str, Any] = {}
    header.numbers = split(model._snapshot(), "", tensors, header.names)
    metadata = {"onstream": msgspec.json.encode(header, order="sorted").decode(), "sha256": NO_SUM}
    if text := notes_text(notes):
        metadata["notes"] = text
    data = pack(tensors, metadata)
    at = data.index(SUM_MARK) + len(SUM_MARK)
    return data[:at] + hashlib.sha256(data).hexdigest().encode() + data[at + 64 :]


def notes_text(notes: Mapping[str, Any] | None) -> str | None:
    """The notes as JSON; None if there are none."""
    if notes is not None and not isinstance(notes, Mapping):
        raise TypeError(
            f"save: notes must be a dict of what JSON can hold, got {notes!r:.80}. "
            f"Give it a name, such as notes={{'notes': ...}}."
        )
    if not notes:
        return None
    try:
        return msgspec.json.encode(note_to_json("notes", notes), order="sorted").decode()
    except RecursionError:
        raise ValueError("save: notes are nested too deeply.") from None
    except UnicodeEncodeError:
        raise ValueError("save: notes hold text that is not valid Unicode.") from None


def note_to_json(where: str, value: Any) -> Any:
    """What JSON gives back as it was, but for tuples, which become lists."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, (list, tuple)):
        return [note_to_json(f"{where}[{i}]", item) for i, item in enumerate(value)]
    if isinstance(value, Mapping):
        for key in value:
            if not isinstance(key, str):
                raise TypeError(f"save: a key of {where} must be a string, got {key!r:.60}.")
        return {key: note_to_json(f"{where}[{key!r:.40}]", item) for key, item in value.items()}
    if value is None or isinstance(value, (str, int)):
        return value
    if isinstance(value, float) and math.isfinite(value):
        return value
    raise TypeError(
        f"save: {where} is {value!r:.60}, which JSON cannot hold: write dicts with strings as "
        f"keys, lists, strings, finite numbers, bools and None."
    )


def to_json(who: str, name: str, value: Any) -> Any:
    """A parameter as JSON."""
    if isinstance(value, (list, tuple)):
        return [to_json(who, name, item) for item in value]
    if isinstance(value, (Learner, Part)):
        cls = name_in_files(type(value))
        if {**parts(), **learners()}.get(cls) is not public_class(type(value)):
            raise TypeError(f"save: {who}: {name} is a {cls}, which is not of onstream.")
        return {CLASS: cls, "params": {n: to_json(cls, n, v) for n, v in value.params.items()}}
    if callable(value):
        raise TypeError(
            f"save: {who}: {name} is or holds a function, which no file can hold; only a function "
            f"that is itself a parameter of the model can be given again to load."
        )
    return value


def from_json(value: Any, depth: int = 0) -> Any:
    """A parameter from its JSON."""
    if depth > DEEPEST:
        raise ValueError("parameters are nested too deeply")
    if isinstance(value, list):
        return [from_json(item, depth + 1) for item in value]
    if not isinstance(value, dict) or CLASS not in value:
        return value
    if set(value) != {CLASS, "params"} or not isinstance(value["params"], dict):
        raise ValueError("a parameter is broken")
    cls = {**parts(), **learners()}.get(value[CLASS])
    if cls is None:
        raise ValueError(f"a {value[CLASS]!r:.60} is unknown to this version")
    given = {name: from_json(item, depth + 1) for name, item in value["params"].items()}
    return cls(**{**added_since(cls), **given})


def added_since(cls: Any) -> dict[str, Any]:
    """Parameters that files of earlier versions lack, with what they were then."""
    return dict(getattr(cls, "_added_parameters", {}))


def split(fields: Any, path: str, tensors: dict[str, Any], names: list[str]) -> dict[str, Any]:
    """The plain numbers of a state; its arrays go to `tensors`, its lists also to `names`."""
    numbers: dict[str, Any] = {}
    for name, value in fields.items():
        if isinstance(value, np.ndarray):
            array = np.ascontiguousarray(value).astype(value.dtype.newbyteorder("<"))
            tensors[path + name] = array
        elif isinstance(value, list):
            names.append(path + name)
            tensors.update(pack_names(path + name, value))
        elif isinstance(value, dict):
            numbers[name] = split(value, f"{path}{name}/", tensors, names)
        else:
            numbers[name] = value
    return numbers


def join(numbers: dict[str, Any], path: str, value: Any) -> None:
    """Put an array or a list where `split` took it from."""
    *folders, name = path.split("/")
    place: Any = numbers
    for folder in folders:
        place = place.get(folder) if isinstance(place, dict) else None
    if not isinstance(place, dict):
        raise ModelFileError(f"the field {path!r:.60} is nowhere.")
    if name in place:
        raise ModelFileError(f"the field {path!r:.60} is there twice.")
    place[name] = value


def pack(tensors: dict[str, Any], metadata: dict[str, str]) -> bytes:
    """A safetensors file in a fixed order (the library's own writer shuffles the metadata)."""
    head: dict[str, Any] = {"__metadata__": metadata}
    end = 0
    for name, array in tensors.items():
        start, end = end, end + array.nbytes
        dtype = DTYPES[array.dtype.name]
        head[name] = {"dtype": dtype, "shape": list(array.shape), "data_offsets": [start, end]}
    text = msgspec.json.encode(head)
    text += b" " * (-len(text) % 8)
    size = len(text).to_bytes(8, "little")
    return b"".join([size, text, *(array.tobytes() for array in tensors.values())])


def loads(data: bytes | bytearray | memoryview, **functions: Callable[..., Any]) -> Any:
    """The model that `dumps` was given. Parameters that were functions must be given again."""
    header, fields = unpack(coerce_bytes(data))
    cls = holders().get(header.cls)
    if cls is None:
        raise ModelFileError(f"the file holds a {header.cls!r:.60}, unknown to this version.")
    header.params = {**added_since(cls), **header.params}
    if sorted([*header.params, *header.functions]) != sorted(parameters(cls)):
        raise ModelFileError(f"the file's parameters are not those of {header.cls}.")
    for name in header.functions:
        if not callable(functions.get(name)):
            raise ModelFileError(
                f"the {header.cls} was made with a function as {name}, which no file can hold; "
                f"give it again: load(path, {name}=...)."
            )
    if extra := set(functions) - set(header.functions):
        raise ModelFileError(
            f"{min(extra)} is not to be given: load takes only the functions that a "
            f"{header.cls} was made with, the other parameters are in the file."
        )
    check_cost(header, fields)
    try:
        params = {name: from_json(value) for name, value in header.params.items()}
        return revive(cls, {**params, **functions}, fields)
    except MemoryError:
        raise ModelFileError(f"there is not enough memory for the {header.cls}.") from None
    except (TypeError, ValueError, KeyError, OverflowError, RecursionError) as error:
        raise ModelFileError(f"the state of the {header.cls} is broken: {error}") from None


def coerce_bytes(data: Any) -> bytes:
    """The data as bytes."""
    if isinstance(data, (bytes, bytearray, memoryview)):
        return bytes(data)  # bytes themselves are not copied
    advice = " To read a file, say load." if isinstance(data, (str, os.PathLike)) else ""
    raise TypeError(f"loads: data must be the bytes of a model, got {data!r:.60}.{advice}")


def check_cost(header: Header, fields: dict[str, Any]) -> None:
    """Refuse a small file that would take much memory.

    A union has a name for each of its features, also for columns and slots of hashed parts: the
    file must hold a number for each of them (see `UnionState.export_own`).
    """
    try:
        features = slots_in_unions({CLASS: header.cls, "params": header.params})
    except RecursionError:
        raise ModelFileError(f"the parameters of the {header.cls} are nested too deeply.") from None
    columns = header.numbers.get("implicit")
    if features and type(columns) is int:
        features += columns
    if features > FEW and 8 * features > 4 * size_of(fields):
        raise ModelFileError(
            f"the {header.cls} has {features:,} features, of which the file tells nothing."
        )


def slots_in_unions(value: Any, inside: bool = False) -> int:
    """How many features the parts of unions make; at least 1 if there is a union."""
    if isinstance(value, list):
        return sum(slots_in_unions(item, inside) for item in value)
    if not isinstance(value, dict) or not isinstance(value.get("params"), dict):
        return 0
    inside = inside or value.get(CLASS) == "Union"
    params = value["params"]
    found = int(inside) + sum(slots_in_unions(item, inside) for item in params.values())
    bits, components = params.get("hash_bits"), params.get("n_components")
    if inside and type(bits) is int:
        found += 1 << max(0, min(bits, 40))
    if inside and type(components) is int:
        found += max(0, components)
    return found


def size_of(fields: Any) -> int:
    """Bytes of the arrays and names of a state."""
    if isinstance(fields, dict):
        return sum(map(size_of, fields.values()))
    if isinstance(fields, np.ndarray):
        return fields.nbytes
    return 8 * len(fields) if isinstance(fields, list) else 0


def notes_of(data: bytes) -> dict[str, Any]:
    """The notes that `dumps` was given."""
    metadata = checked_metadata(data)
    try:
        return msgspec.json.decode(metadata.get("notes", "{}"), type=dict[str, Any])
    except (TypeError, ValueError, RecursionError) as error:
        raise ModelFileError(f"the notes are broken: {error!s:.100}") from None


def unpack(data: bytes) -> tuple[Header, dict[str, Any]]:
    """Header and state fields of a file, after all checks that need no learner."""
    metadata = checked_metadata(data)
    try:
        text = metadata["onstream"]
        version = msgspec.json.decode(text)["format"]
        if version != FORMAT:
            raise ModelFileError(
                f"the file has format {version!r:.20}, this version of onstream reads {FORMAT}."
            )
        header = msgspec.json.decode(text, type=Header)
        tensors = {name: tensor(info) for name, info in safetensors.deserialize(data)}
    except ModelFileError:
        raise
    except Exception as error:  # of msgspec, safetensors or NumPy: all say that it is broken
        raise ModelFileError(f"the header is broken: {error!s:.200}") from None
    fields = header.numbers
    for name in header.names:
        join(fields, name, unpack_names(name, tensors))
    for name, array in tensors.items():
        join(fields, name, array)
    return header, fields


def checked_metadata(data: bytes) -> dict[str, Any]:
    """The metadata of bytes that are whole."""
    size = int.from_bytes(data[:8], "little")
    if len(data) < 16 or size > len(data) - 8 or data[8:9] != b"{":
        raise ModelFileError("this is not an onstream model, or it was cut off.")
    at = data.find(SUM_MARK, 8, 8 + size) + len(SUM_MARK)
    if at < len(SUM_MARK):
        raise ModelFileError("this safetensors file was not written by onstream.")
    found = data[at : at + 64]
    blank = data[:at] + NO_SUM.encode() + data[at + 64 :]
    if hashlib.sha256(blank).hexdigest().encode() != found:
        raise ModelFileError("the checksum does not fit: the file was damaged or cut off.")
    try:
        metadata = msgspec.json.decode(data[8 : 8 + size].rstrip(b" "))["__metadata__"]
    except Exception as error:
        raise ModelFileError(f"the header is broken: {error!s:.200}") from None
    if not isinstance(metadata, dict):
        raise ModelFileError("the header is broken: its metadata is no object.")
    return metadata


def tensor(info: dict[str, Any]) -> Any:
    """One tensor as an array that owns its memory."""
    dtype = {short: name for name, short in DTYPES.items()}[info["dtype"]]
    return np.frombuffer(bytearray(info["data"]), dtype=dtype).reshape(info["shape"])


def pack_names(name: str, values: list[Any]) -> dict[str, Any]:
    """A list of names as bytes, offsets and a letter for the type of each."""
    texts = [str(value).encode() for value in values]
    kinds = [list(NAME_KINDS).index(type(value).__name__) for value in values]
    return {
        f"{name}.bytes": np.frombuffer(b"".join(texts), dtype=np.uint8),
        f"{name}.offsets": np.cumsum([0, *map(len, texts)], dtype=np.int64),
        f"{name}.kinds": np.array(kinds, dtype=np.uint8),
    }


def unpack_names(name: str, tensors: dict[str, Any]) -> list[Any]:
    """The list of names again; takes its tensors out of the dict."""
    try:
        text = tensors.pop(f"{name}.bytes")
        offsets = tensors.pop(f"{name}.offsets")
        kinds = tensors.pop(f"{name}.kinds")
        whole = text.tobytes()
        readers = list(NAME_KINDS.values())
        if (
            (text.dtype, offsets.dtype, kinds.dtype) != (np.uint8, np.int64, np.uint8)
            or (text.ndim, kinds.ndim) != (1, 1)
            or offsets.shape != (len(kinds) + 1,)
            or offsets[0] != 0
            or offsets[-1] != len(whole)
            or (np.diff(offsets) < 0).any()
        ):
            raise ValueError("its offsets do not fit")
        parts = (whole[a:b].decode() for a, b in pairwise(offsets.tolist()))
        return [readers[kind](part) for kind, part in zip(kinds, parts, strict=True)]
    except (KeyError, IndexError, ValueError) as error:
        raise ModelFileError(f"the list {name!r:.60} is broken: {error!s:.100}") from None
