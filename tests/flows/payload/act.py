"""Run the payload's script, and at one step of one rank let something happen to it.

    torchrun act.py --rank R --at-step N --what kill|stop|kill-in-save|slow-save|full-disk --config FILE

kill: SIGKILL to this rank while step N is computed; stop: `cmd/stop` appears then;
kill-in-save: SIGKILL to rank 0 in the save at step N, when the shards and `.metadata`
are written and the manifest is not; slow-save: that save takes until step N + 3 was
reported; full-disk: in that save the other rank finds no space left on the device.
"""

import argparse
import os
import signal
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[3] / "runners" / "payload"))

import fsdp_sft
import fsdp_sft_loop
import fsdp_sft_writing


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def stop() -> None:
    folder = Path(os.environ["FSDP_RUN_DIR"]) / "cmd"
    folder.mkdir(exist_ok=True)
    (folder / "stop").touch()


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rank", type=int, required=True)
    parser.add_argument("--at-step", type=int, required=True)
    parser.add_argument("--what", choices=("kill", "stop", "kill-in-save", "slow-save", "full-disk"), required=True)
    known, rest = parser.parse_known_args()
    if int(os.environ["RANK"]) == known.rank:
        if known.what == "kill-in-save":
            arrange_in_save(known.at_step, die)
        elif known.what == "slow-save":
            arrange_in_save(known.at_step, lambda: wait_for_step(known.at_step + 3))
        elif known.what == "full-disk":
            arrange_full_disk(known.at_step)
        else:
            arrange_in_step(known.at_step, die if known.what == "kill" else stop)
    fsdp_sft.leave(fsdp_sft.main(rest))


def arrange_in_step(step: int, act) -> None:
    real = fsdp_sft_loop.Job._step

    def acting(job, *args):
        if job.progress.step + 1 == step:
            act()
        return real(job, *args)

    fsdp_sft_loop.Job._step = acting


def wait_for_step(step: int) -> None:
    deadline = time.monotonic() + 100
    while f'"step": {step},' not in (Path(os.environ["FSDP_RUN_DIR"]) / "events.jsonl").read_text():
        assert time.monotonic() < deadline, f"the training did not go on to step {step}"
        time.sleep(0.01)


def arrange_full_disk(step: int) -> None:
    real = fsdp_sft_writing.claim_folder

    def acting(root, at, attempt):
        name = real(root, at, attempt)
        if at == step:
            (root / name / "__1_0.distcp").symlink_to("/dev/full")
        return name

    fsdp_sft_writing.claim_folder = acting


def arrange_in_save(step: int, act) -> None:
    real = fsdp_sft_writing.write_manifest

    def acting(folder, files, at, world_size):
        if at == step:
            act()
        real(folder, files, at, world_size)

    fsdp_sft_writing.write_manifest = acting


if __name__ == "__main__":
    main()
