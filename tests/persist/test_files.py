"""Files: written all or nothing, with the right permissions; errors name the file."""

import math
import os
import random
import signal
import socket
import stat
import subprocess
import sys
import textwrap
import time
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import pytest

import onstream
from onstream.persist import dumps, files, is_model
from onstream.persist.format import ModelFileError


@pytest.fixture
def model() -> Any:
    model = onstream.PAClassifier()
    model.learn_one({"free": 1.0}, "spam")
    return model


def test_there_and_back(model: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for path in (tmp_path / "a.onstream", str(tmp_path / "b"), "c.onstream", Path("d ü 名")):
        assert onstream.save(model, path) is None
        assert dumps(onstream.load(path)) == dumps(model)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.onstream", "b", "c.onstream", "d ü 名"]
    assert (tmp_path / "b").read_bytes() == dumps(model)


def test_names_as_long_as_the_system_allows(model: Any, tmp_path: Path) -> None:
    path = tmp_path / ("x" * os.pathconf(tmp_path, "PC_NAME_MAX"))
    onstream.save(model, path)
    assert dumps(onstream.load(path)) == dumps(model)


def test_an_old_file_is_replaced(model: Any, tmp_path: Path) -> None:
    path = tmp_path / "model"
    path.write_bytes(b"something else, much longer" * 1000)
    onstream.save(model, path)
    assert path.read_bytes() == dumps(model)


def test_a_link_is_followed(model: Any, tmp_path: Path) -> None:
    """A link to where models are kept stays one."""
    (tmp_path / "store").mkdir()
    target, link = tmp_path / "store" / "model", tmp_path / "link"
    onstream.save(onstream.PAClassifier(), target)
    link.symlink_to(target)
    onstream.save(model, link)
    assert link.is_symlink()
    assert target.read_bytes() == dumps(model)


@pytest.mark.parametrize("umask", [0o022, 0o077, 0o002])
def test_permissions_of_a_new_file(model: Any, tmp_path: Path, umask: int) -> None:
    before = os.umask(umask)
    try:
        onstream.save(model, tmp_path / "model")
        assert os.umask(umask) == umask
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "model").stat().st_mode) == 0o666 & ~umask


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o644, 0o666])
def test_permissions_of_an_old_file_stay(model: Any, tmp_path: Path, mode: int) -> None:
    path = tmp_path / "model"
    path.write_bytes(b"")
    path.chmod(mode)
    onstream.save(model, path)
    assert stat.S_IMODE(path.stat().st_mode) == mode


@pytest.mark.parametrize("step", ["fsync", "replace", "chmod", "fdopen"])
def test_a_failing_write_leaves_the_old_file(
    model: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    path = tmp_path / "model"
    onstream.save(model, path)
    before = path.read_bytes()
    model.learn_one({"meeting": 1.0}, "ham")

    def fail(*args: Any, **options: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, step, fail)
    with pytest.raises(OSError, match="No space"):
        onstream.save(model, path)
    monkeypatch.undo()
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["model"]


def test_an_interrupt_leaves_the_old_file(
    model: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "model"
    onstream.save(onstream.PAClassifier(), path)
    before = path.read_bytes()

    def interrupt(*args: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", interrupt)
    with pytest.raises(KeyboardInterrupt):
        onstream.save(model, path)
    monkeypatch.undo()
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["model"]


def test_everything_is_on_disk_before_the_name_changes(
    model: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Data, fsync, rename, fsync of the folder: in this order."""
    steps: list[str] = []
    fsync, replace = os.fsync, os.replace

    def watched_fsync(handle: int) -> None:
        steps.append("folder" if stat.S_ISDIR(os.fstat(handle).st_mode) else "data")
        if steps[-1] == "data":
            assert os.fstat(handle).st_size == len(dumps(model))
        fsync(handle)

    def watched_replace(source: Any, target: Any) -> None:
        steps.append("rename")
        replace(source, target)

    monkeypatch.setattr(os, "fsync", watched_fsync)
    monkeypatch.setattr(os, "replace", watched_replace)
    onstream.save(model, tmp_path / "model")
    assert steps == ["data", "rename", "folder"]


def test_a_killed_process_leaves_the_old_file_or_the_new_one(tmp_path: Path) -> None:
    path = tmp_path / "model"
    script = textwrap.dedent(
        """
        import sys
        import onstream

        model = onstream.PAClassifier(hash_bits=16)
        model.learn_one({"a": 1.0}, "spam")
        onstream.save(model, sys.argv[1])
        print("ready", flush=True)
        while True:
            model.learn_one({"a": 1.0}, "spam")
            onstream.save(model, sys.argv[1])
        """
    )
    for delay in (0.0, 0.013, 0.031, 0.047):
        process = subprocess.Popen(
            [sys.executable, "-c", script, str(path)], stdout=subprocess.PIPE, text=True
        )
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        time.sleep(delay)
        process.send_signal(signal.SIGKILL)
        process.wait()
        process.stdout.close()
        assert onstream.load(path).seen >= 1


def test_a_model_that_cannot_be_saved_leaves_no_file(tmp_path: Path) -> None:
    class Mine(onstream.PAClassifier):
        """Not of the registry."""

    for thing in (Mine(), 5, None, {"a": 1}, onstream.PAClassifier):
        with pytest.raises(TypeError):
            onstream.save(thing, tmp_path / "model")
    assert list(tmp_path.iterdir()) == []


def test_where_no_file_can_be(model: Any, tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        onstream.save(model, tmp_path / "no such folder" / "model")
    (tmp_path / "model").mkdir()
    with pytest.raises(OSError, match="model"):
        onstream.save(model, tmp_path / "model")
    assert [p.name for p in tmp_path.iterdir()] == ["model"]
    with pytest.raises(FileNotFoundError):
        onstream.load(tmp_path / "nothing")
    with pytest.raises(OSError):
        onstream.load(tmp_path)


def test_errors_name_the_file(tmp_path: Path) -> None:
    path = tmp_path / "broken.onstream"
    path.write_bytes(b"not a model")
    with pytest.raises(ModelFileError, match=r"broken\.onstream"):
        onstream.load(path)


def test_a_folder_that_is_not_there_is_named(model: Any, tmp_path: Path) -> None:
    path = tmp_path / "nope" / "x"
    with pytest.raises(FileNotFoundError) as caught:
        onstream.save(model, path)
    assert caught.value.filename == str(path)
    assert f"there is no folder {str(path.parent)!r}" in str(caught.value)
    assert ".tmp" not in str(caught.value)


def test_a_folder_is_named_as_it_was_given(
    model: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    with pytest.raises(IsADirectoryError, match="name a file in it: 'folder'") as caught:
        onstream.save(model, "folder")
    assert caught.value.filename == "folder"
    assert list(tmp_path.rglob("*")) == [tmp_path / "folder"]


def test_a_folder_cannot_be_loaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    for call in (files.load, files.load_notes, is_model):
        told = f"{call.__name__}: this is a folder; name a file in it: 'folder'"
        with pytest.raises(IsADirectoryError, match=told):
            call("folder")


@pytest.mark.parametrize(
    ("notes", "told"),
    [
        ([1], r"notes must be a dict .* got \[1\]"),
        ([], "notes must be a dict"),
        ("text", "notes must be a dict"),
        ({1: 2}, "a key of notes must be a string, got 1"),
        ({"b": {1: 2}}, r"a key of notes\['b'\] must be a string, got 1"),
        ({"a": object()}, r"notes\['a'\] is <object .*, which JSON cannot hold"),
        ({"a": [1, {2}]}, r"notes\['a'\]\[1\] is \{2\}, which JSON cannot hold"),
        ({"a": math.nan}, r"notes\['a'\] is nan, which JSON cannot hold"),
        ({"a": b"x"}, r"notes\['a'\] is b'x', which JSON cannot hold"),
        ({"a": "\ud800"}, "notes hold text that is not valid Unicode"),
    ],
)
def test_notes_that_could_not_be_read_again(
    model: Any, tmp_path: Path, notes: Any, told: str
) -> None:
    with pytest.raises((TypeError, ValueError), match=f"^save: {told}"):
        onstream.save(model, tmp_path / "model", notes=notes)
    assert list(tmp_path.iterdir()) == []


def test_notes_come_back(model: Any, tmp_path: Path) -> None:
    notes = {"a": [1, 2.5, None, True, {"b": "ä"}], "c": (np.int64(3), np.float32(0.5), 2**70)}
    onstream.save(model, tmp_path / "model", notes=MappingProxyType(notes))
    assert files.load_notes(tmp_path / "model") == {**notes, "c": [3, 0.5, 2**70]}
    onstream.save(model, tmp_path / "model", notes={})
    assert files.load_notes(tmp_path / "model") == {}


def test_what_is_a_model(model: Any, tmp_path: Path) -> None:
    path = tmp_path / "x"
    onstream.save(model, path)
    assert is_model(path)
    for other in (b"", b"a,b\n1,2\n", b"x" * 1000, path.read_bytes()[1:]):
        path.write_bytes(other)
        assert not is_model(path)


def made(where: Path, kind: str) -> Path:
    """Something that is no file."""
    path = where / kind
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "socket":
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(str(path))
    else:
        try:
            os.mknod(path, 0o666 | stat.S_IFCHR, os.makedev(1, 3))
        except PermissionError:
            pytest.skip("only root can make devices")
    return path


@pytest.mark.parametrize("kind", ["pipe", "socket", "device"])
@pytest.mark.parametrize("linked", [False, True])
def test_what_is_no_file_stays(model: Any, tmp_path: Path, kind: str, linked: bool) -> None:
    path = made(tmp_path, kind)
    before = path.lstat()
    given = path
    if linked:
        given = tmp_path / "link"
        given.symlink_to(kind)
    with pytest.raises(OSError, match="a device, a pipe or a socket") as caught:
        onstream.save(model, given)
    assert caught.value.filename == str(given)
    assert (path.lstat().st_mode, path.lstat().st_ino) == (before.st_mode, before.st_ino)
    assert not list(tmp_path.glob(".onstream*"))


def test_links_of_all_kinds(model: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Relative, to nothing yet, to a link, in circles."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "store").mkdir()
    (tmp_path / "relative").symlink_to("store/model")
    (tmp_path / "twice").symlink_to("relative")
    for link in ("relative", "twice"):
        onstream.save(model, link)
        assert (tmp_path / link).is_symlink()
        assert dumps(onstream.load(tmp_path / "store" / "model")) == dumps(model)
        (tmp_path / "store" / "model").unlink()
    (tmp_path / "nowhere").symlink_to("no such folder/model")
    with pytest.raises(FileNotFoundError, match="there is no folder"):
        onstream.save(model, "nowhere")
    (tmp_path / "one").symlink_to("two")
    (tmp_path / "two").symlink_to("one")
    with pytest.raises(OSError, match="leads back to itself: 'one'"):
        onstream.save(model, "one")
    (tmp_path / "self").symlink_to("self")
    with pytest.raises(OSError, match="leads back to itself"):
        onstream.save(model, tmp_path / "self")
    assert (tmp_path / "one").is_symlink()


def test_what_killed_saves_left_is_removed(model: Any, tmp_path: Path) -> None:
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    path = tmp_path / "model"

    def leave(name: str, where: str, process: int, age: float = 0.0) -> str:
        beginning = files.scratch_beginning(tmp_path / name)
        left = tmp_path / f"{beginning}{where}-{process}-{random.randbytes(8).hex()}.tmp"
        left.write_bytes(b"half a model")
        os.utime(left, (time.time() - age,) * 2)
        return left.name

    for _ in range(3):
        leave("model", files.machine(), gone.pid, age=2 * files.RECENT)
    leave("model", "elsewhere", 1, age=2 * files.LEFT_BEHIND)
    beginning = files.scratch_beginning(path)
    (tmp_path / f"{beginning}x.tmp").write_bytes(b"of somebody else")
    kept = {
        f"{beginning}x.tmp",
        leave("model", files.machine(), gone.pid),  # it may be alive in another container
        leave(
            "model", files.machine(), os.getpid(), age=2 * files.RECENT
        ),  # another thread is about to finish
        leave("model", "elsewhere", gone.pid),
        leave(
            "other", files.machine(), gone.pid, age=2 * files.RECENT
        ),  # a save to that file will remove it
    }
    onstream.save(model, path)
    assert {p.name for p in tmp_path.iterdir()} == {"model"} | kept


@pytest.mark.parametrize("path", [None, 3, b"model", ["model"], "", "a\0b", "a\ud800b"], ids=repr)
def test_what_is_no_path_is_refused(
    model: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: Any
) -> None:
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    for call in (files.load, files.load_notes, is_model, lambda path: onstream.save(model, path)):
        who = getattr(call, "__name__", "").replace("<lambda>", "save")
        with pytest.raises((TypeError, ValueError), match=f"^{who}: ") as found:
            call(path)
        assert type(found.value) in (TypeError, ValueError)
    assert [p.name for p in tmp_path.rglob("*")] == ["here"]


@pytest.mark.parametrize("path", ["new/", "new/.", "old/", "old/."])
def test_a_folder_is_no_file(
    model: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    monkeypatch.chdir(tmp_path)
    onstream.save(model, "old")
    before = (tmp_path / "old").read_bytes()
    model.learn_one({"meeting": 1.0}, "ham")
    with pytest.raises(IsADirectoryError, match="save: this is a folder; name a file in it"):
        onstream.save(model, path)
    assert [p.name for p in tmp_path.iterdir()] == ["old"]
    assert (tmp_path / "old").read_bytes() == before
