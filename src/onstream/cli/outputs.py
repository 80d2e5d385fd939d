"""The files that a command will write: whatever is wrong with them is said before the work."""

from pathlib import Path
from typing import Any

from ..persist import is_model
from ..streams.files import same_file


def check_outputs(
    stream: Any, outputs: dict[str, Path | None], on_error: str, *read: Path | None
) -> None:
    """Refuse outputs (option: file) that cannot be written, or would replace what is read."""
    files = [*stream.files, *(file for file in read if file is not None)]
    taken: dict[Path, str] = {}
    rejects = None if on_error in ("raise", "skip") else Path(on_error)
    for option, path in {**outputs, "--on-error": rejects}.items():
        if path is None:
            continue
        check_place(option, path, replaced=option != "--on-error")
        if any(same_file(path, file) for file in files):
            raise ValueError(
                f"onstream: {option} {path} would overwrite the file that is read; name another."
            )
        if other := taken.get(path.resolve()):
            raise ValueError(f"onstream: {other} and {option} are one file, {path}; name two.")
        taken[path.resolve()] = option


def check_place(option: str, path: Path, *, replaced: bool = True) -> None:
    """Refuse a place where no file can be; one that is `replaced` must be no device either."""
    folder = path.absolute().parent
    if not folder.is_dir():
        told = f"{folder} is no folder" if folder.exists() else f"there is no folder {folder}"
        raise ValueError(f"onstream: {option} {path}: {told}.")
    if path.is_dir():
        raise ValueError(f"onstream: {option} {path} is a folder; name a file in it.")
    if replaced and path.exists() and not path.is_file():
        raise ValueError(f"onstream: {option} {path} is a device or a pipe; name a file.")


def check_models(option: str, *paths: Path) -> None:
    """Refuse to put a model in the place of something else."""
    for path in paths:
        check_place(option, path)
        if path.exists() and path.stat().st_size and not is_model(path):
            raise ValueError(
                f"onstream: {option} {path} is there already and is no model of onstream; name "
                f"another file, or remove this one first."
            )
