"""The command `onstream`: its subcommands, and how each ends when it cannot go on."""

import contextlib
import os
import sys
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from ..base.printable import printable
from .console import remark
from .convert import convert, generate
from .demo import demo
from .errors import EXPECTED_ERRORS, message_of, show_traceback
from .experiment import experiment
from .export import export
from .follow import follow
from .inspect_ import inspect
from .interrupt import hear, unheard
from .models import models
from .predict import predict
from .run import run
from .serve import serve
from .train import train
from .warnings_ import one_line_warnings

UsageError: Any = typer.BadParameter.__base__  # of the click that typer brings


class Commands(TyperGroup):
    """Subcommands whose errors are one sentence and an exit code."""

    def invoke(self, ctx: Any) -> Any:
        """Run the subcommand; 130: interrupted, 141: nobody reads, 1: input or file at fault."""
        hear()
        try:
            with one_line_warnings():
                answer = super().invoke(ctx)
            sys.stdout.flush()
            return answer
        except UsageError as error:
            error.message = printable(error.message)
            if getattr(getattr(error, "param", None), "name", "") == "model" and not error.message:
                error.message = "`onstream models` lists the learners."
            command = self.get_command(ctx, ctx.invoked_subcommand or "")
            if wanted := value_wanted(error, command):
                error.message = wanted
            raise
        except KeyboardInterrupt:
            with unheard():  # timeout(1) sends two
                remark("Interrupted.")
            raise typer.Exit(130) from None
        except BrokenPipeError:  # nobody reads the pipe any more: the exit code of SIGPIPE
            discard_output()
            raise typer.Exit(141) from None
        except EXPECTED_ERRORS as error:
            show_traceback(error)
            remark(message_of(error), "red")
            raise typer.Exit(1) from None


def value_wanted(error: Any, command: Any) -> str:
    """Which value an option of the command lacks; "" if the error is another."""
    name = getattr(error, "option_name", None)
    if command is None or name is None or "requires an argument" not in error.message:
        return ""
    wanted = next(p for p in command.params if name in p.opts)
    return f"Option {name!r} needs a value. It means: {wanted.help}"


def discard_output() -> None:
    """Write the rest of the output nowhere: Python would complain at exit otherwise."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


app: typer.Typer = typer.Typer(
    cls=Commands,
    epilog="ONSTREAM_TRACEBACK=1 in the environment shows the traceback of an error.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for command in (
    demo, run, train, follow, predict, models, inspect, export, generate, convert, serve,
    experiment,
):  # fmt: skip
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
