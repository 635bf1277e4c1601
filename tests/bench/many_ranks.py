"""Writes the logs of a job of many ranks with a planted failure: `many_ranks.py FOLDER BYTES RANKS`."""

import sys
from pathlib import Path

STEP = (
    "2026-11-30 10:{minute:02d}:{second:02d},{milli:03d} INFO step {step} | loss {loss:.4f} | grad_norm {norm:.3f}"
    " | {rest}\n"
)
REST = "lr 1.0e-05 | tokens/s 3121.4 | mfu 41.2 % | mem 61.2 GiB | data 0.012 s | fwd 0.310 s | bwd 0.702 s"
WATCHDOG = (
    "[rank{rank}]:[E1130 11:30:05.{rank:06d} ProcessGroupNCCL.cpp:616] [Rank {rank}] Watchdog caught collective"
    " operation timeout: WorkNCCL(SeqNum=9001, OpType=_ALLGATHER_BASE, NumelIn=4096, NumelOut=32768,"
    " Timeout(ms)=600000) ran for 600012 milliseconds before timing out.\n"
)
OOM = (
    "Traceback (most recent call last):\n"
    '  File "/job/train.py", line 88, in train_step\n'
    "    loss = model(batch).loss\n"
    "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 3.00 GiB. GPU 1 has a total capacity of 79.15 GiB of"
    " which 141.25 MiB is free.\n"
)


def write_logs(folder: Path, size_bytes: int, ranks: int, culprit: int) -> None:
    """Write torchrun's folders of `ranks` ranks, `size_bytes` in all; `culprit` runs out of memory before the end."""
    lines = [
        STEP.format(
            minute=step // 60 % 60,
            second=step % 60,
            milli=step % 1000,
            step=step,
            loss=2 + 1 / (step + 1),
            norm=0.5,
            rest=REST,
        )
        for step in range(5000)
    ]
    chunk = "".join(lines).encode()
    each = size_bytes // ranks
    for rank in range(ranks):
        place = folder / "run_1" / "attempt_0" / str(rank)
        place.mkdir(parents=True)
        with open(place / "stderr.log", "wb") as stream:
            for _ in range(each // len(chunk)):
                stream.write(chunk)
            stream.write(chunk[: each % len(chunk)].rpartition(b"\n")[0] + b"\n")
            if rank == culprit:
                stream.write(b"2026-11-30 11:20:00,000 INFO step 9001 | loss 2.0\n" + OOM.encode())
                stream.write(chunk[:65536].rpartition(b"\n")[0] + b"\n")  # its data workers go on for a while
            else:
                stream.write(WATCHDOG.format(rank=rank).encode())


if __name__ == "__main__":
    write_logs(Path(sys.argv[1]), int(float(sys.argv[2])), int(sys.argv[3]), int(sys.argv[3]) // 4)
