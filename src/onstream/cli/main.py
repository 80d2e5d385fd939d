"""The `onstream` command, and how every subcommand ends when it cannot go on."""

from typing import Any

import typer
from rich.console import Console
from typer.core import TyperGroup

from .demo import demo


class Commands(TyperGroup):
    """Subcommands whose failures are one sentence and an exit code, never a traceback."""

    def invoke(self, ctx: Any) -> Any:
        """Run the subcommand; 130 when interrupted, 1 when its input or a file is at fault."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            Console(stderr=True).print("Interrupted.", style="yellow")
            raise typer.Exit(130) from None
        except BrokenPipeError:  # the reader of a pipe left; typer ends quietly
            raise
        except (ValueError, TypeError, OSError) as error:
            sentence = str(error)
            if isinstance(error, OSError) and error.filename:
                sentence = f"onstream: {error.filename}: {error.strerror}."
            Console(stderr=True).print(sentence, style="red", markup=False, soft_wrap=True)
            raise typer.Exit(1) from None


app = typer.Typer(
    cls=Commands,
    help="Online machine learning: one example at a time, forever, in bounded memory.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
app.command()(demo)


@app.callback()
def _group() -> None:
    """Keep `demo` a subcommand while it is the only one."""


def main() -> None:
    """Run the command line; the console script `onstream`."""
    app()
