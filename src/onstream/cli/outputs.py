"""Checks of the files that a command will write, before any work is done."""

import os
from pathlib import Path
from typing import Any

from ..persist import is_model
from ..streams.files import same_file
from .destination import descriptor, in_place, is_special


def check_outputs(
    stream: Any,
    outputs: dict[str, Path | None],
    on_error: str,
    *read: Path | None,
    through: bool = False,
) -> None:
    """Refuse outputs (option: file) that cannot be written, or would replace what is read.

    `through` says that they may also be devices, pipes and standard output.
    """
    files = [*stream.files, *(file for file in read if file is not None)]
    taken: dict[Path, str] = {}
    rejects = None if on_error in ("raise", "skip") else Path(on_error)
    for option, path in {**outputs, "--on-error": rejects}.items():
        if path is None:
            continue
        check_place(option, path, through=through or option == "--on-error")
        if any(is_same(path, file) for file in files):
            raise ValueError(
                f"onstream: {option} {path} would overwrite the file that is read; name another."
            )
        if other := taken.get(path.resolve()):
            raise ValueError(f"onstream: {other} and {option} are one file, {path}; name two.")
        taken[path.resolve()] = option


def is_same(out: Path, file: str | Path) -> bool:
    """Say whether what is written is the file that is read, perhaps as standard output."""
    number = descriptor(out)
    if number is None:
        return same_file(out, file)
    try:
        written, read = os.fstat(number), os.stat(0 if str(file) == "-" else file)
    except OSError:
        return False
    return os.path.isfile(number) and os.path.samestat(written, read)


def check_place(option: str, path: Path, *, through: bool = False) -> None:
    """Refuse a place where no file can be; a device or pipe, unless it is written `through`."""
    number = descriptor(path)
    if number is not None or is_special(path):
        if not through:
            what = "standard output" if number == 1 else "a device or a pipe"
            raise ValueError(f"onstream: {option} {path} is {what}; name a file.")
        return
    if path.is_dir():
        raise ValueError(f"onstream: {option} {path} is a folder; name a file in it.")
    folder = in_place(path).parent
    if not folder.is_dir():
        why = f"{folder} is no folder" if folder.exists() else f"there is no folder {folder}"
        raise ValueError(f"onstream: {option} {path}: {why}.")


def check_page(path: Path | None) -> None:
    """Refuse to call a web page something else."""
    if path is not None and path.suffix.lower() not in ("", ".html", ".htm"):
        raise ValueError(
            f"onstream: --report writes a web page; call it {path.with_suffix('.html')}."
        )


def check_models(option: str, *paths: Path) -> None:
    """Refuse to put a model in the place of something else."""
    for path in paths:
        check_place(option, path)
        if path.exists() and path.stat().st_size and not is_model(path):
            raise ValueError(
                f"onstream: {option} {path} is there already and is no model of onstream; name "
                f"another file, or remove this one first."
            )
