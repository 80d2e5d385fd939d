"""The rules for everything that learns: parameters, copies, files, chance."""

import copy
import pickle
import random
from typing import Any

import numpy as np

from ..persist import dumps, loads
from .subject import Subject, call, functions_of, offers_files, same_answer, same_leaves, true


def parameters(subject: Subject) -> None:
    """A clone has the same parameters and has learned nothing; the original stays."""
    new, old = subject.make(), subject.taught()
    if not hasattr(old, "clone"):
        return
    before, twin = subject.state(old), call(old, "clone")
    true(type(twin) is type(old), f"clone() made a {type(twin).__name__}")
    if hasattr(old, "params"):
        same_answer(new.params, old.params, "params after learning")
        same_answer(old.params, twin.params, "params of clone()")
    subject.same(new, twin, "clone() has learned something")
    subject.unchanged(old, before, "clone()")
    subject.taught(stop=3, to=twin)
    subject.unchanged(old, before, "what a clone learned")


def same_again(subject: Subject) -> None:
    """Two that are made and taught alike are the same, whatever else draws random numbers."""
    one = subject.taught()
    random.random()  # the generators that everybody shares go on
    np.random.random()  # noqa: NPY002
    subject.same(one, subject.taught(), "two that were made and taught alike differ")


def copies(subject: Subject) -> None:
    """Pickle and copy keep everything, share nothing, and go on the same."""
    half = len(subject.lessons) // 2
    ways = {
        "pickle": lambda thing: pickle.loads(pickle.dumps(thing)),
        "copy.deepcopy": copy.deepcopy,
    }
    for way, make in ways.items():
        subject.same(subject.make(), made(way, make, subject.make()), f"{way} of a new one")
        goes_on(subject, subject.taught(stop=half), way, make)


def files(subject: Subject) -> None:
    """What was saved and loaded goes on to the same bits, where `onstream.save` takes it."""
    new = subject.make()
    if not offers_files(new):
        return
    functions = functions_of(getattr(new, "params", {}))

    def reload(thing: Any) -> Any:
        return loads(dumps(thing), **functions)

    half = len(subject.lessons) // 2
    subject.same(new, made("save and load", reload, new), "save and load of a new one")
    again = goes_on(subject, subject.taught(stop=half), "save and load", reload)
    for thing in (again, subject.taught()):
        saved = dumps(thing)
        same_answer(saved, dumps(reload(thing)), "the file of a loaded one")


def goes_on(subject: Subject, thing: Any, way: str, make: Any) -> Any:
    """A copy is the same, shares nothing, and is the same after further lessons."""
    half = len(subject.lessons) // 2
    before = subject.state(thing)
    twin = made(way, make, thing)
    true(type(twin) is type(thing), f"{way} made a {type(twin).__name__}")
    subject.same(thing, twin, way)
    subject.taught(start=half, to=thing)
    same_leaves(before, subject.state(twin), f"{way}: what the original learned changed the copy")
    subject.taught(start=half, to=twin)
    subject.same(thing, twin, f"{way}, then going on")
    return twin


def made(way: str, make: Any, thing: Any) -> Any:
    """A copy; an error becomes a failed check."""
    try:
        return make(thing)
    except Exception as error:
        raise AssertionError(f"{way} raised {type(error).__name__}: {error!s:.200}") from error


CHECKS = (parameters, copies, files)
