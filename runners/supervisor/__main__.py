"""Started by path with `-I -S`, so that nothing but the standard library is in reach."""

import sys
from pathlib import Path

if __name__ == "__main__":
    # at the end: where the project is installed, its neighbours must not hide the standard library
    sys.path.append(str(Path(__file__).resolve().parents[2]))
    if sys.argv[1] == "shim":
        from runners.supervisor.shim import run_launcher

        sys.exit(run_launcher(sys.argv[2]))
    if sys.argv[1] == "call":
        from runners.supervisor.calling import main

        sys.exit(main(sys.argv[2]))
    if sys.argv[1] == "batch":
        from runners.batch.main import supervise_batch

        sys.exit(supervise_batch(sys.argv[2], int(sys.argv[3])))
    from runners.supervisor.main import supervise

    sys.exit(supervise(sys.argv[2], int(sys.argv[3]), may_start=sys.argv[1] == "start"))
