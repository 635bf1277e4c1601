"""Trials: several configurations of the built-in recipe, each for a few steps, one after the other.

    python fsdp_trials.py --trials trials.json

Each trial is a torchrun of its own with a run folder of its own, `$FSDP_RUN_DIR/trials/<label>`.
Its result is written beside that, `trials/<label>.json`, as soon as it has ended, and the
next one follows whatever came of it. What was measured before a kill is not measured again.
Exit codes: 0 every trial has ended, or stopped as asked; 2 it cannot start from what it was
given; 1 anything else. Standard library only.
"""

import argparse
import json
import os
import sys
import traceback
from pathlib import Path

from fsdp_sft_config import ConfigError
from fsdp_sft_rundir import RunDir, StopSignals, write_json
from fsdp_trials_child import Child
from fsdp_trials_figures import figures_of


def main(argv: list[str] | None = None) -> int:
    """Run what is to be run and return the exit code."""
    parser = argparse.ArgumentParser(description="Short trials of the built-in recipe; see the module's docstring")
    parser.add_argument("--trials", type=Path, required=True, help="JSON file written by the agent")
    arguments = parser.parse_args(argv)
    try:
        asked = load_trials(arguments.trials)
        folder = os.environ.get("FSDP_RUN_DIR")
        if not folder or not Path(folder).is_dir():
            raise ConfigError(f"FSDP_RUN_DIR must name an existing folder, not {folder!r}")
    except ConfigError as error:
        print(f"fsdp_trials: {error}", file=sys.stderr)
        return 2
    signals = StopSignals()
    signals.install()
    Bench(asked, RunDir(Path(folder), 0, int(os.environ.get("FSDP_ATTEMPT", "1")), signals)).run()
    return 0


def load_trials(path: Path) -> dict:
    """Read and check the file.

    Raises:
        ConfigError: It cannot be read or lacks something.
    """
    try:
        asked = json.loads(path.read_text(encoding="utf-8"))
        entries = [(str(entry["label"]), list(map(str, entry["argv"]))) for entry in asked["trials"]]
        limits = {name: float(asked[name]) for name in ("boot_s", "step_s")}
        numbers = {name: int(asked[name]) for name in ("warmup", "ranks")}
    except OSError as error:
        raise ConfigError(f"cannot read {path}: {error.strerror}") from error
    except (ValueError, TypeError, KeyError) as error:
        raise ConfigError(f"{path} is no file of trials: {error!r}") from error
    if numbers["warmup"] < 1 or numbers["ranks"] < 1:
        raise ConfigError(f"{path}: warmup and ranks must be at least 1")
    if any(Path(label).name != label or label.startswith(".") for label, _ in entries) or not entries:
        raise ConfigError(f"{path} names no trials, or one that can be no folder")
    return {"trials": entries, **limits, **numbers}


class Bench:
    """The trials of one start of the job."""

    def __init__(self, asked: dict, rundir: RunDir) -> None:
        """Start nothing yet.

        Args:
            asked: What `load_trials` returns.
            rundir: Where the whole job reports.
        """
        self._asked, self._rundir = asked, rundir
        self._folder = rundir.root / "trials"

    def run(self) -> None:
        """Run each trial that was not measured yet; write the last word."""
        self._folder.mkdir(exist_ok=True)
        results, stopped = [], False
        for number, (label, argv) in enumerate(self._asked["trials"]):
            path = self._folder / f"{label}.json"
            result = _measured(path)
            if result is None:
                stopped = stopped or self._rundir.stop_reason() is not None
                if stopped:
                    result = {"label": label, "status": "not_run", "reason": "stopped before it ran"}
                else:
                    print(f"trial {label} starts", flush=True)
                    result = self._try(label, argv, number)
                write_json(path, result)
                self._tell(result)
            results.append(result)
        ended = sum(result["status"] != "not_run" for result in results)
        status = "stopped" if ended < len(results) else "done"
        self._rundir.event("end", None, {"status": status})
        end = {"status": status, "steps": ended, "loss": None, "export": None, "results": results}
        write_json(self._rundir.root / "result.json", end)

    def _try(self, label: str, argv: list[str], number: int) -> dict:
        folder = self._folder / label
        _set_aside(folder, self._rundir.attempt)
        (folder / "cmd").mkdir(parents=True)
        argv = [word.replace("{run_dir}", str(self._rundir.root)) for word in argv]
        child = Child(argv, folder, self._asked["boot_s"], self._asked["step_s"])
        try:
            while child.runs():
                if self._rundir.stop_reason() is not None:
                    child.ask_to_stop()
                self._rundir.heartbeat(number)
        finally:
            child.end_what_is_left()
        if child.asked_to_stop:
            return {"label": label, "status": "not_run", "reason": "stopped while it ran"}
        figures = figures_of(folder, self._asked["warmup"], self._asked["ranks"])
        if child.exit_code == 0 and figures["steps"]:
            return {"label": label, "status": "measured", **figures}
        reason = child.hung or ("" if child.exit_code else "it ended without a measured step")
        return {"label": label, "status": "failed", "exit_code": child.exit_code, "reason": reason}

    def _tell(self, result: dict) -> None:
        """Report a trial among the events; a rate of None would be no number there."""
        rate = result.get("tokens_per_s_per_gpu")
        words = {name: result[name] for name in ("label", "status", "reason") if result.get(name)}
        self._rundir.event("trial", None, {**words, **({"tokens_per_s_per_gpu": round(rate, 1)} if rate else {})})
        print(f"trial {result['label']}: {result['status']}", flush=True)


def _measured(path: Path) -> dict | None:
    """Return the result of a trial that an earlier start measured; None where there is none."""
    try:
        result = json.loads(path.read_text(encoding="utf-8"))
        return result if result["status"] == "measured" else None
    except (OSError, ValueError, TypeError, KeyError):
        return None


def _set_aside(folder: Path, attempt: int) -> None:
    """Move what an earlier start left of a trial away: it stays as evidence and is not read."""
    if folder.exists():
        for number in range(attempt, attempt + 1000):
            aside = folder.with_name(f"{folder.name}.before-{number}")
            if not aside.exists():
                folder.rename(aside)
                return


if __name__ == "__main__":
    try:
        exit_code = main()
    except Exception:
        traceback.print_exc()
        exit_code = 1
    sys.exit(exit_code)
