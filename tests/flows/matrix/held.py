"""The payload's script, which stands still at one place of a start until the test has acted.

    torchrun held.py [--hold START=PLACE] ... --config FILE

PLACE is `step:N` (each rank before it computes step N), `save:N` (rank 0 in the save of step
N, shards and `.metadata` written, the manifest not), `shard:N` (rank 1 in the middle of that
save, its shard begun), or `asleep:N` (rank 1 before step N, for good; SIGTERM ends it).

Who stands still has left the file `held/<START>=<PLACE>-<rank>`. It goes on when there is
`held/<START>=<PLACE>-go`, or when the job is asked to stop. All else is the payload as it is.
"""

import argparse
import os
import signal
import sys
import time
from pathlib import Path

import fsdp_sft
import fsdp_sft_loop
import fsdp_sft_writing

START, RANK = os.environ["FSDP_ATTEMPT"], int(os.environ["RANK"])
HELD = Path(os.environ["FSDP_RUN_DIR"]) / "held"


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--hold", action="append", default=[])
    known, rest = parser.parse_known_args()
    HELD.mkdir(exist_ok=True)
    for hold in known.hold:
        start, _, place = hold.partition("=")
        if start == START:
            kind, _, step = place.partition(":")
            {"step": in_step, "asleep": asleep, "save": in_save, "shard": in_shard}[kind](int(step), hold)
    fsdp_sft.leave(fsdp_sft.main(rest))


def stand_still(hold: str, asked_to_stop) -> None:
    (HELD / f"{hold}-{RANK}").touch()
    while not (HELD / f"{hold}-go").exists() and not asked_to_stop():
        time.sleep(0.01)
    (HELD / f"{hold}-{RANK}").unlink()


def in_step(step: int, hold: str) -> None:
    real = fsdp_sft_loop.Job._step

    def held(job, *args):
        if job.progress.step + 1 == step:
            stand_still(hold, job.rundir.stop_reason)
        return real(job, *args)

    fsdp_sft_loop.Job._step = held


def asleep(step: int, hold: str) -> None:
    real = fsdp_sft_loop.Job._step

    def held(job, *args):
        if job.progress.step + 1 == step and RANK == 1:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
            stand_still(hold, lambda: None)
        return real(job, *args)

    fsdp_sft_loop.Job._step = held


def in_save(step: int, hold: str) -> None:
    real = fsdp_sft_writing.write_manifest

    def held(folder, files, at, world_size):
        if at == step:
            stand_still(hold, (HELD.parent / "cmd" / "stop").exists)
        real(folder, files, at, world_size)

    fsdp_sft_writing.write_manifest = held


def in_shard(step: int, hold: str) -> None:
    real = fsdp_sft_writing.claim_folder

    def held(root, at, attempt):
        name = real(root, at, attempt)
        if at == step:
            os.mkfifo(root / name / "__1_0.distcp")  # whoever opens it to write waits for a reader
            (HELD / f"{hold}-1").touch()
        return name

    fsdp_sft_writing.claim_folder = held


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parent))
    main()
