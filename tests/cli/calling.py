"""The command line, called from within."""

from typing import Any

from typer.testing import CliRunner

from onstream.cli.main import app


def call(*arguments: Any, code: int = 0, stdin: str | None = None) -> Any:
    """Call the command; what it wrote."""
    found = CliRunner().invoke(app, [str(a) for a in arguments], input=stdin)
    assert found.exit_code == code, found.output
    return found
