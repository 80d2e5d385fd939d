"""The `onstream` command, and how every subcommand ends when it cannot go on."""

import contextlib
import os
import sys
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
        """Run the subcommand; 130: interrupted, 141: nobody reads, 1: input or file at fault."""
        try:
            answer = super().invoke(ctx)
            sys.stdout.flush()
            return answer
        except KeyboardInterrupt:
            Console(stderr=True).print("Interrupted.", style="yellow")
            raise typer.Exit(130) from None
        except BrokenPipeError:  # the reader of a pipe left: the code of who dies of SIGPIPE
            forget_output()
            raise typer.Exit(141) from None
        except FAULTS as error:
            Console(stderr=True).print(sentence(error), style="red", markup=False, soft_wrap=True)
            raise typer.Exit(1) from None


def forget_output() -> None:
    """Send what is still to be written nowhere, or Python would complain when it ends."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


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
