"""The `onstream` command, and how every subcommand ends when it cannot go on."""

from typing import Annotated, Any

import typer
from rich.console import Console
from typer.core import TyperGroup

from .convert import convert, generate
from .demo import demo
from .faults import FAULTS, sentence
from .look import inspect
from .models import models
from .predict import predict
from .run import run
from .train import train


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
        except FAULTS as error:
            Console(stderr=True).print(sentence(error), style="red", markup=False, soft_wrap=True)
            raise typer.Exit(1) from None


app = typer.Typer(
    cls=Commands,
    help="Online machine learning: one example at a time, forever, in bounded memory.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for command in (demo, run, train, predict, models, inspect, generate, convert):
    app.command()(command)


def show_version(wanted: bool) -> None:
    """Answer `--version`."""
    if wanted:
        from .. import __version__

        typer.echo(f"onstream {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool,
        typer.Option("--version", help="Show the version.", callback=show_version, is_eager=True),
    ] = False,
) -> None:
    """Online machine learning: one example at a time, forever, in bounded memory."""


def main() -> None:
    """Run the command line; the console script `onstream`."""
    app()
