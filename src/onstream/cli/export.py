"""`onstream export`: a saved model for other programs."""

from pathlib import Path
from typing import Annotated, Any

import typer

from ..persist import load
from . import options
from .convert import report
from .destination import opened
from .outputs import check_place, is_same

FORMATS = {".onnx": "onnx", ".vw": "vw", ".txt": "vw"}


def export(
    model: Annotated[Path, typer.Argument(help="A saved model.")],
    out: Annotated[Path, typer.Argument(help="The new file; its ending tells the format.")],
    format: Annotated[
        str | None, typer.Option("--format", "-f", help="onnx, or vw for a text model.")
    ] = None,
    float32: Annotated[
        bool, typer.Option("--float32", help="ONNX: numbers go in and out in single precision.")
    ] = False,
    bits: Annotated[int, typer.Option(help="Vowpal Wabbit: its -b.", min=1, max=61)] = 18,
    quiet: options.Quiet = False,
) -> None:
    """Write a saved model for other programs: ONNX, or text for Vowpal Wabbit.

    ONNX takes linear learners, naive Bayes, trees, forests, and scalers before.

    A text model (vw --readable_model) takes linear learners.

    \b
    onstream export bids.onstream bids.onnx
    onstream export bids.onstream bids.txt --format vw --bits 22
    """
    format = format or FORMATS.get(out.suffix.lower())
    if format not in FORMATS.values():
        raise ValueError(
            f"onstream: export cannot tell the format of {out}; call it "
            f"{out.with_suffix('.onnx')}, or say --format."
        )
    check_place("the new file", out, through=True)
    if is_same(out, model):
        raise ValueError(f"onstream: {out} is the model itself; name another file.")
    learner = load(model)
    data = vw_text(learner, bits) if format == "vw" else onnx_bytes(learner, float32)
    with opened(out) as file:
        file.write(data)
    if not quiet:
        report(f"{type(learner).__name__} in {out}.", out)


def onnx_bytes(learner: Any, single: bool) -> bytes:
    """The model as a file of ONNX."""
    from ..compat.onnx import to_onnx

    made: bytes = to_onnx(learner, dtype="float32" if single else "float64").SerializeToString()
    return made


def vw_text(learner: Any, bits: int) -> bytes:
    """The model as a text model of Vowpal Wabbit."""
    from ..compat.vw import to_vw

    return to_vw(learner, bits=bits).encode()
