"""Run by dgpin's own interpreter: `python -I driver.py PLAN PARENT`.

Compiles several targets side by side in one session, so that whatever ends dgpin, be it ^C or
SIGKILL, ends every compiler too. PLAN is JSON: jobs (how many at a time) and targets, each with
name, log (a file for the compiler's words), cwd, env and steps (argument lists, in turn). Each
event is a line of JSON on stdout: {event: start|end, target, code, seconds}.
"""

import contextlib
import json
import os
import queue
import shlex
import signal
import subprocess  # noqa: TID251 - a script of its own process, which dgpin.process starts
import sys
import threading
import time
from pathlib import Path
from typing import Any, NoReturn

PAUSE = 0.2  # seconds between two looks whether the parent is still there


def main() -> int:
    """Run the plan; 0 when every target ended well."""
    parent = int(sys.argv[2])
    plan = json.loads(Path(sys.argv[1]).read_bytes())
    waiting: queue.SimpleQueue[Any] = queue.SimpleQueue()
    for target in plan["targets"]:
        waiting.put(target)
    events: queue.SimpleQueue[Any] = queue.SimpleQueue()
    for _ in range(min(plan["jobs"], len(plan["targets"]))):
        threading.Thread(target=work, args=(waiting, events), daemon=True).start()
    worst, left = 0, len(plan["targets"])
    while left:
        try:
            event = events.get(timeout=PAUSE)
            print(json.dumps(event), flush=True)  # noqa: T201 - the events are the answer
        except queue.Empty:
            if os.getppid() == parent:
                continue
            abandon()
        except OSError:  # nobody listens any more
            abandon()
        if event["event"] == "end":
            left -= 1
            worst = worst or event["code"]
    return 0 if worst == 0 else 1


def abandon() -> NoReturn:
    """End with every compiler: the parent is gone."""
    kill_session()
    os._exit(1)


def kill_session() -> None:
    """Kill every other process of this session; ninja's children have groups of their own."""
    session, me = os.getsid(0), os.getpid()
    for _ in range(20):  # a process that is just being started may slip through once
        found = False
        for stat in Path("/proc").glob("[0-9]*/stat"):
            with contextlib.suppress(OSError, ValueError, IndexError):
                pid = int(stat.parent.name)
                fields = stat.read_text(errors="replace").rpartition(")")[2].split()
                if int(fields[3]) == session and pid != me and fields[0] != "Z":
                    found = True
                    os.kill(pid, signal.SIGKILL)
        if not found:
            return


def work(waiting: "queue.SimpleQueue[Any]", events: "queue.SimpleQueue[Any]") -> None:
    """Take targets until none is left."""
    while True:
        try:
            target = waiting.get_nowait()
        except queue.Empty:
            return
        events.put({"event": "start", "target": target["name"]})
        began = time.monotonic()
        try:
            code = compile_target(target)
        except (OSError, ValueError) as error:  # no such program; a name that cannot be encoded
            Path(target["log"]).write_text(f"dgpin: {error}\n", errors="backslashreplace")
            code = 127
        seconds = round(time.monotonic() - began, 3)
        events.put({"event": "end", "target": target["name"], "code": code, "seconds": seconds})


def compile_target(target: Any) -> int:  # noqa: ANN401 - parsed JSON
    """Run the steps until one fails; return that one's code."""
    with Path(target["log"]).open("wb") as log:
        for argv in target["steps"]:
            log.write(os.fsencode(f"$ {shlex.join(argv)}\n"))
            log.flush()
            code = subprocess.run(
                argv,
                cwd=target["cwd"],
                env=target["env"],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                check=False,
            ).returncode
            if code:
                return code
    return 0


if __name__ == "__main__":
    sys.exit(main())  # noqa: TID251 - a script of its own process
