"""A sign of life from a training script of your own. Standard library only; one line is enough.

```python
import fsdp_heartbeat  # from now on the runner notices a rank that hangs

fsdp_heartbeat.beat(step, loss=loss)  # may be added in the loop: exact, and shown as progress
```

The import patches nothing. It starts one thread that looks where the main thread is, and
writes a sign of life (`$FSDP_RUN_DIR/hb/<rank>.json`) whenever that has moved on. A rank
that waits in a collective stands still, so it gives none. From the first `beat` on only
that counts. Of a rank that hangs the runner asks for the stacks of its threads: the import
has `faulthandler` answer. Outside a run nothing of this does anything.
"""

import faulthandler
import json
import os
import sys
import threading
import time
from pathlib import Path

__all__ = ["beat", "stop_asked"]

_LOOK_S = 1.0
_STACK_SIGNAL = 50  # a real-time signal, by which the runner asks a rank for its stacks
_RUN_DIR = Path(os.environ["FSDP_RUN_DIR"]) if "FSDP_RUN_DIR" in os.environ else None
_RANK = os.environ.get("RANK", "0")
_ATTEMPT = int(os.environ.get("FSDP_ATTEMPT", "1"))
_exact = threading.Event()


def beat(step, *, loss=None, phase="step", **measures):
    """Say that a step is done, or what comes next that may take long.

    Args:
        step: Optimizer steps done.
        loss: Loss of the step, a number; rank 0's is shown as progress.
        phase: step, eval, checkpoint or export: each has a time limit of its own.
        **measures: What else is shown, such as grad_norm, lr, tokens_per_s or memory_gib.
    """
    _exact.set()
    if _RUN_DIR is None:
        return
    _write(step, phase)
    if _RANK == "0" and phase == "step":
        values = {"loss": loss, **measures}
        line = {"kind": "step", "time": time.time(), "attempt": _ATTEMPT, "step": int(step)}
        line.update({name: float(value) for name, value in values.items() if value is not None})
        # one call for one line: readers never see half of it
        with open(_RUN_DIR / "events.jsonl", "a", encoding="ascii") as log:
            log.write(json.dumps(line) + "\n")


def stop_asked():
    """Tell whether somebody asked the run to save and stop; look between steps, on one rank, and tell the others."""
    return _RUN_DIR is not None and (_RUN_DIR / "cmd" / "stop").exists()


def _write(step, phase):
    path = _RUN_DIR / "hb" / (_RANK + ".json")
    fresh = path.with_suffix("." + str(os.getpid()))
    try:
        with open(fresh, "w", encoding="ascii") as stream:
            json.dump({"time": time.time(), "step": step if step is None else int(step), "phase": phase}, stream)
        fresh.replace(path)
    except OSError:
        pass  # a full disk is no reason to end a training; the runner warns of it


def _watch(main):
    place = None
    while not _exact.wait(_LOOK_S):
        frame = sys._current_frames().get(main)
        now = []
        while frame is not None:
            now.append((id(frame.f_code), frame.f_lasti))
            frame = frame.f_back
        if now != place:
            place = now
            _write(None, "step")


def _offer_stacks():
    """Answer in C, for the interpreter may be blocked in a collective; best effort, a job runs without it."""
    folder = _RUN_DIR / "attempts" / f"{_ATTEMPT:04d}" / "diag"
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        answer = open(folder / f"stack-{_RANK}.txt", "w", encoding="utf-8")  # noqa: SIM115 - kept open
        faulthandler.register(_STACK_SIGNAL, file=answer, all_threads=True)
    except (OSError, ValueError, AttributeError):
        return None
    return answer


if _RUN_DIR is not None:
    _answer = _offer_stacks()
    threading.Thread(target=_watch, args=(threading.main_thread().ident,), name="fsdp_heartbeat", daemon=True).start()
