"""Figures that look alike: readable in a page, named axes, a key that hides nothing."""

from typing import Any

from ...select.plot import COLOURS as COLOURS  # figures of all kinds have the same


def check_matplotlib() -> None:
    """Say at once, not after the work, that there is nothing to draw with."""
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        raise ImportError(
            'onstream: the figure of an experiment needs matplotlib: pip install "onstream[plot]".'
        ) from None


def figure(columns: int, rows: int = 1, *, height: float = 3.9, width: float = 5.0) -> Any:
    """A figure, and its panels in rows."""
    check_matplotlib()
    from matplotlib.figure import Figure

    page = Figure(figsize=(width * columns, height * rows + 0.7), dpi=90, layout="constrained")
    return page, page.subplots(rows, columns, squeeze=False)


def finish(
    panel: Any, title: str, x: str, y: str, *, logx: bool = False, logy: bool = False
) -> None:
    """Title, axes, grid."""
    panel.set_title(title, fontsize=12)
    panel.set_xlabel(x, fontsize=11)
    panel.set_ylabel(y, fontsize=11)
    if logx:
        panel.set_xscale("log")
    if logy:
        panel.set_yscale("log")
    panel.grid(alpha=0.3)
    panel.spines[["top", "right"]].set_visible(False)


def key(page: Any, *panels: Any, columns: int = 4) -> None:
    """One key below all panels, each name once."""
    known: dict[str, Any] = {}
    for panel in panels:
        handles, names = panel.get_legend_handles_labels()
        for handle, name in zip(handles, names, strict=True):
            known.setdefault(name, handle)
    page.legend(
        list(known.values()), list(known), loc="outside lower center", ncols=columns, frameon=False
    )
