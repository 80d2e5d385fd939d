"""The full forms of what the tests show in short: `make torture`, or one by its name.

`python -m tests.serve.torture kills http_kills …` (the names in `ALL`): each prints a line of JSON.
Needs wrk for `load`, strace for `faults`, and root for `full`; `schema` needs schemathesis and the
comparison of `load` FastAPI and River (the dependency group `torture`).
"""

import contextlib
import hashlib
import http.client
import json
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Any

from onstream import LogisticRegression, PAClassifier
from onstream.persist import dumps
from onstream.serve.store import DurableModel, StoreError

from . import kills as store_kills
from .bombs import explode
from .malformed import attack
from .running import TOKEN, Running

LEARNER = "PAClassifier(C=0.1, hash_bits=12, hash_seed=5)"


def kills() -> dict[str, Any]:
    """200 SIGKILLs of a store, and the two broken ones."""
    facts = store_kills.run(200, 7)
    for broken in ("ack", "dedup"):
        found = store_kills.run(20, 7, broken)
        facts[f"broken: {broken}"] = {name: found[name] for name in ("lost", "twice")}
    return facts


def http_kills(n: int = int(os.environ.get("KILLS", "200"))) -> dict[str, Any]:
    """SIGKILLs of the service under load, 5 % of the requests sent twice."""
    rng, folder = random.Random(3), Path(tempfile.mkdtemp())
    service, sent, killed, acknowledged = Running(folder), [], 0, 0
    service.call("PUT", "/v1/models/m", {"learner": LEARNER})
    while killed < n:
        pid = service.process.pid
        timer = threading.Timer(rng.random() * 0.5, os.kill, (pid, signal.SIGKILL))
        timer.start()
        while True:
            x = [{f"f{rng.randrange(40)}": rng.gauss(0, 1) for _ in range(5)} for _ in range(5)]
            request = [
                {"x": one, "y": rng.randrange(3), "id": f"{len(sent)} {i}"}
                for i, one in enumerate(x)
            ]
            sent.append(request)
            if not send(service, request) or (rng.random() < 0.05 and not send(service, request)):
                break
            acknowledged += 1
        timer.join()
        service.process.communicate(timeout=60)
        killed += 1
        service.start()
        assert send(service, sent[-1])  # as a client does that got no answer
    examples = [example for request in sent for example in request]
    whole = PAClassifier(C=0.1, hash_bits=12, hash_seed=5, max_labels=100)
    whole.learn_many([e["x"] for e in examples], [e["y"] for e in examples])
    facts = service.call("GET", "/v1/models/m")[1]
    code = service.stop()
    same = facts["state_sha256"] == hashlib.sha256(dumps(whole)).hexdigest()
    return {"kills": killed, "examples": len(examples), "seen": facts["seen"], "same_state": same,
            "exit": code}  # fmt: skip


def send(service: Running, request: Any) -> bool:
    """Learn a request; False if no answer came."""
    try:
        status, answer = service.call("POST", "/v1/models/m/learn", {"examples": request})
    except Exception:
        return False
    assert status == 200, answer
    return True


def faults() -> dict[str, Any]:
    """EIO and ENOSPC from the system, at each of many moments: no wrong acknowledgement."""
    if shutil.which("strace") is None:
        return {"skipped": "strace is not installed"}
    counts: Counter[str] = Counter()
    for call, error in (("fdatasync", "EIO"), ("fsync", "EIO"), ("pwrite64", "ENOSPC"),
                        ("pwrite64", "EIO"), ("fdatasync", "ENOSPC")):  # fmt: skip
        for when in (1, 2, 5, 9, 20, 40):
            counts.update(fault(call, error, when))
    return dict(counts)


def fault(call: str, error: str, when: int) -> dict[str, int]:
    """One fault; what was acknowledged before and after it must be there afterwards."""
    folder = Path(tempfile.mkdtemp()) / "m"
    DurableModel(folder, store_kills.learner()).close()
    command = ["strace", "-f", "-qq", "-o", "/dev/null", "-e", f"trace={call}", "-e",
               f"inject={call}:error={error}:when={when}+", sys.executable, "-m", __spec__.name,
               "child", str(folder)]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    acknowledged = {line for line in done.stdout.splitlines() if line.startswith("example")}
    predicted = "predicts" in done.stdout
    with DurableModel(folder) as model:
        logged = [e.id for _, record in model.log.records() for e in record if e is not None]
        whole = store_kills.learner()
        by_id = {e["id"]: e for r in store_kills.make_requests(2, 60) for e in r}
        for one in logged:
            whole.learn_one(by_id[one]["x"], by_id[one]["y"])
        same = model.state_sha256 == hashlib.sha256(dumps(whole)).hexdigest()
    return {"faults": 1, "acknowledged": len(acknowledged), "same state": int(same),
            "lost": len(acknowledged - set(logged)), "twice": len(logged) - len(set(logged)),
            "went on predicting": int(predicted),
            "stopped": int("stopped" in done.stdout)}  # fmt: skip


def child(folder: str) -> None:
    """Learn under faults; say what was acknowledged, and whether predictions go on."""
    try:
        model = DurableModel(folder, snapshot_every=30)
    except (StoreError, OSError):
        say("refused to open; predicts not")
        os._exit(0)
    for request in store_kills.make_requests(2, 60):
        try:
            model.learn(request)
        except StoreError:
            say("stopped")
            break
        for example in request:
            say(example["id"])
    model.predict_one({"f1": 1.0})
    say("predicts")
    os._exit(0)


def say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def full() -> dict[str, Any]:
    """A file system of 1 MB that fills up, then has room again."""
    folder = Path(tempfile.mkdtemp())
    mount = ["mount", "-t", "tmpfs", "-o", "size=1m", "none", str(folder)]
    if os.getuid() != 0 or subprocess.run(mount, capture_output=True).returncode:
        return {"skipped": "a file system can be mounted by root only"}
    try:
        requests = store_kills.make_requests(4, 5000)
        model = DurableModel(folder / "m", store_kills.learner(), snapshot_every=10**9)
        acknowledged: list[str] = []
        why = ""
        for request in requests:
            try:
                model.learn(request)
            except StoreError as error:
                why = str(error)
                break
            acknowledged += [example["id"] for example in request]
        predicted = model.predict_one({"f1": 1.0}) is not None
        model.close()
        subprocess.run(["mount", "-o", "remount,size=64m", str(folder)], check=True)
        with DurableModel(folder / "m") as again:
            logged = {e.id for _, record in again.log.records() for e in record if e is not None}
            return {"acknowledged": len(acknowledged), "lost": len(set(acknowledged) - logged),
                    "why": why, "predicted": predicted,
                    "learned after": again.learn(requests[-1]).learned}  # fmt: skip
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=False)


def malformed(n: int = int(os.environ.get("REQUESTS", "100000"))) -> dict[str, Any]:
    """Malformed requests: no 5xx, no hang, the model as before."""
    with Running(Path(tempfile.mkdtemp())) as service:
        service.call("PUT", "/v1/models/m", {"learner": LEARNER})
        send(service, [{"x": {"a": 1}, "y": 1}])
        before = service.call("GET", "/v1/models/m")[1]["state_sha256"]
        statuses = attack(service.port, TOKEN, "/v1/models/m", n, 11)
        after = service.call("GET", "/v1/models/m")[1]["state_sha256"]
        return {"statuses": dict(sorted(statuses.items())), "unchanged": before == after}


def swaps() -> dict[str, Any]:
    """10^5 predictions while the model is rolled back 100 times: each from one state."""
    reference, x = store_kills.learner(), {"f1": 1.0, "f2": -1.0}
    examples = [e for r in store_kills.make_requests(8, 200) for e in r][:400]
    scores = {0: reference.score_one(x)}
    for number, example in enumerate(examples, 1):
        reference.learn_one(example["x"], example["y"])
        scores[number] = reference.score_one(x)
    done, wrong, asked = threading.Event(), 0, 0
    plain = [{"x": e["x"], "y": e["y"]} for e in examples]
    with DurableModel(tempfile.mkdtemp(), store_kills.learner(), snapshot_every=100) as model:
        model.learn(plain)

        def swap() -> None:
            rng = random.Random(1)
            for _ in range(100):
                model.rollback(to_seq=rng.randrange(model.seq + 1))
            done.set()

        thread = threading.Thread(target=swap)
        thread.start()
        while not done.is_set() or asked < 100_000:
            score, seq = model.ask(lambda one: one.score_one(x))
            wrong += score != scores[seq]
            asked += 1
        thread.join()
    return {"predictions": asked, "swaps": 100, "wrong": wrong}


def poison() -> dict[str, Any]:
    """Accuracy on clean data with 1, 5 and 10 % wrong labels from one source, and without it."""
    found: dict[str, Any] = {}
    for share in (0.01, 0.05, 0.10):
        rng = random.Random(6)

        def row(rng: random.Random = rng) -> tuple[dict[str, float], int]:
            x = {f"f{i}": rng.gauss(0, 1) for i in range(10)}
            return x, int(sum(x.values()) > 0)

        with DurableModel(tempfile.mkdtemp(), PAClassifier(C=1.0)) as model:
            for _ in range(100):
                request = []
                for _ in range(100):
                    x, y = row()
                    bad = rng.random() < share
                    x = {name: 20 * value for name, value in x.items()} if bad else x
                    request.append(
                        {"x": x, "y": 1 - y if bad else y, "source": "bad" if bad else "good"}
                    )
                model.learn(request)
            test = [row() for _ in range(5000)]

            def accuracy(model: DurableModel = model, test: Any = test) -> float:
                got = model.predict_many([x for x, _ in test])
                return sum(int(a == y) for a, (_, y) in zip(got, test, strict=True)) / len(test)

            poisoned = accuracy()
            model.replay(exclude_source="bad")
            found[f"{share:.0%}"] = {"poisoned": poisoned, "excluded": accuracy()}
    return found


def growth(n: int = int(os.environ.get("EXAMPLES", "10000000"))) -> dict[str, Any]:
    """Ever-new features, ids and labels: memory of the process stays flat."""
    learner, rss = PAClassifier(hash_bits=18, hash_seed=9, max_labels=20), []
    options: dict[str, Any] = {"snapshot_every": 100_000, "window": 100_000}
    with DurableModel(tempfile.mkdtemp(), learner, **options) as model:
        for start in range(0, n, 500):
            model.learn(
                {
                    "x": {f"{i} {k}": 1.0 for k in range(5)},
                    "y": f"l{i if i % 1000 == 0 else i % 15}",
                    "id": f"{i}",
                }
                for i in range(start, start + 500)
            )
            if start % (n // 10) == 0:
                pages = int(Path("/proc/self/statm").read_text().split()[1])
                rss.append(round(pages * os.sysconf("SC_PAGE_SIZE") / 2**20))
        return {"examples": n, "learned": model.seen, "refused": model.refused, "MB": rss}


SCRIPT = """
wrk.method = "POST"
wrk.headers["Authorization"] = "Bearer TOKEN"
wrk.headers["Content-Type"] = "application/json"
local function row()
  local t = {}
  for i = 1, 10 do t[i] = '"f' .. i .. '":' .. math.random() end
  return '{"x":{' .. table.concat(t, ",") .. "}LABEL}"
end
local rows = {}
for i = 1, ROWS do rows[i] = row() end
wrk.body = '{"examples":[' .. table.concat(rows, ",") .. "]}"
"""


def load(seconds: int = int(os.environ.get("LOAD_SECONDS", "10"))) -> dict[str, Any]:
    """Requests per second by wrk on the same machine, in turns with FastAPI and River.

    On a machine that others use, rows per second of the service's own processor time say more.
    """
    if shutil.which("wrk") is None:
        return {"skipped": "wrk is not installed"}
    found: dict[str, Any] = {}
    folder = Path(tempfile.mkdtemp())
    rival, rival_port = start_rival()
    with Running(folder, "--rate", "1000000") as service:
        service.call("PUT", "/v1/models/m", {"learner": "PAClassifier()"})
        servers = {"onstream": (service.process.pid, service.port)}
        if rival is not None:
            servers["FastAPI and River"] = (rival.pid, rival_port)
        for _, port in servers.values():
            teach(port)
        for name, verb, rows in (("predict one", "predict", 1), ("predict 100", "predict", 100),
                                 ("learn 100", "learn", 100)):  # fmt: skip
            label = ',"y":1' if verb == "learn" else ""
            text = SCRIPT.replace("TOKEN", TOKEN).replace("ROWS", str(rows))
            script = folder / "load.lua"
            script.write_text(text.replace('"}LABEL}"', f"'}}{label}}}'"))
            runs: dict[str, list[Any]] = {server: [] for server in servers}
            for _ in range(5):
                for server, (pid, port) in servers.items():
                    runs[server].append(press(pid, port, verb, rows, script, seconds / 5))
            found[name] = {server: middle(some) for server, some in runs.items()}
            if rival is not None:
                ours, theirs = found[name].values()
                found[name]["times"] = {
                    kind: round(ours[kind] / theirs[kind], 1) for kind in ("rows/s", "rows/cpu s")
                }
    if rival is not None:
        rival.kill()
        rival.wait()
    return found


def teach(port: int) -> None:
    """Something to predict with: 200 examples."""
    rng = random.Random(1)
    x = [{f"f{i}": rng.gauss(0, 1) for i in range(1, 11)} for _ in range(200)]
    body = json.dumps({"examples": [{"x": one, "y": int(one["f1"] > 0)} for one in x]})
    headers = {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"}
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    connection.request("POST", "/v1/models/m/learn", body, headers)
    assert connection.getresponse().status == 200
    connection.close()


def press(
    pid: int, port: int, verb: str, rows: int, script: Path, seconds: float
) -> dict[str, Any]:
    """One run of wrk."""
    url = f"http://127.0.0.1:{port}/v1/models/m/{verb}"
    command = ["wrk", "-t1", "-c16", f"-d{round(seconds)}s", "--latency", "-s", str(script), url]
    before = processor_time(pid)
    out = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    used = processor_time(pid) - before
    words = {line.split()[0]: line.split()[1] for line in out.splitlines() if line.split()[1:]}
    requests = int(out.partition(" requests in")[0].split()[-1])
    unit = {"us": 1e-3, "ms": 1.0, "s": 1e3}[words["99%"].lstrip("0123456789.")]
    return {"rows/s": round(float(words["Requests/sec:"]) * rows), "errors": "Non-2xx" in out,
            "rows/cpu s": round(requests * rows / used),
            "p99, ms": unit * float(words["99%"].rstrip("mus"))}  # fmt: skip


def middle(runs: list[dict[str, Any]]) -> dict[str, Any]:
    """The median of each figure."""
    return {name: sorted(run[name] for run in runs)[len(runs) // 2] for name in runs[0]}


def processor_time(pid: int) -> float:
    """Seconds that a process has had so far."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def start_rival() -> tuple[Any, int]:
    """FastAPI and River, if they are installed."""
    try:
        import fastapi  # noqa: F401
        import river  # noqa: F401
    except ImportError:
        return None, 0
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    rival = subprocess.Popen([sys.executable, "-m", f"{__package__}.rival", str(port)])
    for _ in range(200):
        time.sleep(0.1)
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port)):
            return rival, port
    rival.kill()
    raise RuntimeError("the rival did not start")


def bombs() -> dict[str, Any]:
    """Bodies that stand for gigabytes, endless and slow requests: milliseconds, and memory."""
    with Running(Path(tempfile.mkdtemp())) as service:
        service.call("PUT", "/v1/models/m", {"learner": LEARNER})
        send(service, [{"x": {"a": 1}, "y": 1}])
        return explode(service, "/v1/models/m")


def schema(n: int = int(os.environ.get("SCHEMA_EXAMPLES", "2000"))) -> dict[str, Any]:
    """Schemathesis: requests that break the OpenAPI document, for each verb of one model."""
    program = Path(sys.executable).with_name("schemathesis")
    if not program.exists():
        return {"skipped": "schemathesis is not installed"}
    folder = Path(tempfile.mkdtemp())
    with Running(folder / "store", "--rate", "1000000") as service:
        service.call("PUT", "/v1/models/m", {"learner": LEARNER})
        send(service, [{"x": {"a": 1}, "y": 1}])
        before = service.call("GET", "/v1/models/m")[1]["state_sha256"]
        document = service.call("GET", "/openapi.json")[1]
        paths = {}
        for path, verbs in document["paths"].items():
            if "tokens" not in path:
                kept = {name: verb for name, verb in verbs.items() if name != "delete"}
                for verb in kept.values():
                    verb["parameters"] = [p for p in verb["parameters"] if p["name"] != "name"]
                paths[path.replace("{name}", "m")] = kept
        (folder / "openapi.json").write_text(json.dumps({**document, "paths": paths}))
        done = subprocess.run(
            [str(program), "run", str(folder / "openapi.json"), "--mode", "negative", "--phases",
             "fuzzing", "--max-examples", str(n), "--checks", "not_a_server_error", "--seed", "1",
             "--url", f"http://127.0.0.1:{service.port}", "-H", f"Authorization: Bearer {TOKEN}",
             "--no-color"],
            capture_output=True, text=True, cwd=folder,
        )  # fmt: skip
        after = service.call("GET", "/v1/models/m")[1]["state_sha256"]
        metrics = service.raw("GET", "/metrics")[1].decode().splitlines()
    statuses: Counter[str] = Counter()
    for line in metrics:
        if line.startswith("onstream_requests_total"):
            statuses[line.partition('status="')[2][:3]] += int(float(line.split()[-1]))
    return {"exit": done.returncode, "statuses": dict(sorted(statuses.items())),
            "unchanged": before == after,
            "said": [line for line in done.stdout.splitlines() if line.strip()][-6:]}  # fmt: skip


def files(n: int = int(os.environ.get("FILES", "100000"))) -> dict[str, Any]:
    """Damaged model files of many learners: each must be refused, and quickly, and run nothing."""
    from tests.persist.test_mutations import MODELS, blindly_mutated

    from onstream.persist import ModelFileError, loads

    found, slowest = Counter[str](), 0.0
    for data in MODELS.values():
        loads(data)  # whatever is imported, is imported now

    def hear(event: str, _: Any) -> None:
        if event in EXECUTES or event.startswith("subprocess."):
            found[event] += 1

    sys.addaudithook(hear)
    for seed in range(10**6, 10**6 + n):
        original, data = blindly_mutated(seed)
        if data == original:
            continue
        found["damaged"] += 1
        began = time.perf_counter()
        try:
            loads(data)
            found["accepted"] += 1
        except ModelFileError:
            found["refused"] += 1
        slowest = max(slowest, time.perf_counter() - began)
    return {"learners": len(MODELS), "accepted": 0, **found,
            "slowest, ms": round(1e3 * slowest, 1)}  # fmt: skip


EXECUTES = ("exec", "compile", "os.system", "os.exec", "pickle.find_class", "marshal.loads")


def http_swaps() -> dict[str, Any]:
    """10^5 predictions over HTTP during 100 rollbacks and lessons: each of one version."""
    learner = "LogisticRegression(hash_bits=12, hash_seed=5)"
    x = {"f1": 1.0, "f2": -1.0}
    examples = [e for r in store_kills.make_requests(8, 200) for e in r][:300]
    plain = [{"x": e["x"], "y": e["y"] % 2} for e in examples]
    reference = LogisticRegression(hash_bits=12, hash_seed=5, max_labels=100)
    expected = {0: {}}
    for number, example in enumerate(plain, 1):
        reference.learn_one(example["x"], example["y"])
        expected[number] = {str(k): p for k, p in reference.predict_proba_one(x).items()}
    facts: Counter[str] = Counter()
    done = threading.Event()
    with Running(Path(tempfile.mkdtemp()), "--every", "100", "--rate", "1000000") as service:
        service.call("PUT", "/v1/models/m", {"learner": learner})
        send(service, plain)

        def swap() -> None:
            rng = random.Random(1)
            for _ in range(100):
                to = {"to_seq": rng.randrange(50, 301)}
                facts["errors"] += service.call("POST", "/v1/models/m/rollback", to)[0] not in (
                    200, 422,
                )  # fmt: skip
                facts["swaps"] += 1
            done.set()

        def ask() -> None:
            connection = http.client.HTTPConnection("127.0.0.1", service.port, timeout=60)
            body = json.dumps({"examples": [{"x": x}] * 20})
            while not done.is_set() or facts["predictions"] < 100_000:
                connection.request("POST", "/v1/models/m/predict", body,
                                   {"Authorization": f"Bearer {TOKEN}"})  # fmt: skip
                answer = connection.getresponse()
                got = json.loads(answer.read())
                facts["errors"] += answer.status != 200
                right = expected[got["version"]]
                facts["wrong"] += any(
                    set(one) != set(right) or any(abs(one[k] - right[k]) > 1e-12 for k in right)
                    for one in got["probabilities"]
                )
                facts["predictions"] += 20

        threads = [threading.Thread(target=one) for one in (swap, ask, ask)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    return {name: facts[name] for name in ("predictions", "swaps", "errors", "wrong")}


ALL = (
    kills, http_kills, faults, full, malformed, schema, bombs, files, swaps, http_swaps, poison,
    growth, load,
)  # fmt: skip

if __name__ == "__main__":
    if sys.argv[1:2] == ["child"]:
        child(sys.argv[2])
    for work in ALL:
        if work.__name__ in sys.argv[1:] or not sys.argv[1:]:
            began = time.monotonic()
            facts = work()
            say(json.dumps({work.__name__: facts, "seconds": round(time.monotonic() - began, 1)}))
