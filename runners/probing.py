"""ProbeHost: one process of the training environment that runs probes and reports each."""

import contextlib
import json
import os
import signal
import subprocess
import tempfile
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Self

from contracts.errors import RunnerError
from contracts.probe import ProbeOutcome

_HOST = Path(__file__).parent / "payload" / "probe_host.py"
_ENV_PASSED = ("PATH", "HOME", "LANG", "TMPDIR", "LD_LIBRARY_PATH", "CUDA_VISIBLE_DEVICES")
_LIMIT_S = 1800.0
_LAST_WORDS_BYTES = 2000


class ProbeHost:
    """A running host; a context manager, so that its processes end with the block.

    ```
    with ProbeHost("/env/bin/python") as host:
        for outcome in host.run({"optimizer_before_shard": path}):
            ...
    ```
    """

    torch: str
    """Version of torch in that environment, without its build, such as 2.13.0."""
    cuda_devices: int
    """CUDA devices that it sees."""

    def __init__(self, interpreter: str, *, limit_s: float = _LIMIT_S) -> None:
        """Start the host and wait until it has imported torch.

        Args:
            interpreter: Python of the environment whose torch is asked about.
            limit_s: Seconds after which everything is killed, whatever the probes' own limits.

        Raises:
            RunnerError: The interpreter cannot be started or has no torch.
        """
        self._interpreter = interpreter
        self._stderr = tempfile.TemporaryFile()  # noqa: SIM115 - closed in __exit__
        environment = {name: os.environ[name] for name in _ENV_PASSED if name in os.environ}
        try:
            self._process = subprocess.Popen(
                [interpreter, "-B", str(_HOST)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._stderr,
                env=environment | {"OMP_NUM_THREADS": "1"},
                cwd=tempfile.gettempdir(),
                start_new_session=True,
            )
        except OSError as error:
            self._stderr.close()
            raise RunnerError(
                f"{interpreter} cannot be started: {error.strerror}",
                code="interpreter_unusable",
                hint="give the path of a Python that has torch",
            ) from None
        self._timer = threading.Timer(limit_s, self._kill)
        self._timer.daemon = True
        self._timer.start()
        try:
            first = self._read()
            self.torch, self.cuda_devices = str(first["torch"]), int(first["cuda_devices"])
        except BaseException:
            self.__exit__()
            raise

    def run(self, probes: Mapping[str, Path], *, jobs: int = 2, timeout_scale: float = 1.0) -> Iterator[ProbeOutcome]:
        """Run probes and yield each outcome as it comes; can be called once.

        Args:
            probes: File of each probe by name.
            jobs: Probes that run at a time; each has two or more processes.
            timeout_scale: Factor on the probes' own time limits, for slow machines.

        Raises:
            RunnerError: The host ended before all probes were done.
        """
        job = {
            "probes": {name: str(path.absolute()) for name, path in probes.items()},
            "jobs": jobs,
            "timeout_scale": timeout_scale,
        }
        stdin = self._process.stdin
        assert stdin is not None
        with contextlib.suppress(BrokenPipeError):
            stdin.write(json.dumps(job).encode())
            stdin.close()
        for _ in probes:
            line = self._read()
            yield ProbeOutcome.model_validate({key: value for key, value in line.items() if key != "kind"})

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._timer.cancel()
        self._kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                with contextlib.suppress(BrokenPipeError):
                    stream.close()
        self._stderr.close()

    def _read(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            with contextlib.suppress(json.JSONDecodeError):
                found = json.loads(line)
                if isinstance(found, dict):
                    return found
        code = self._process.wait()
        self._stderr.seek(max(0, self._stderr.seek(0, os.SEEK_END) - _LAST_WORDS_BYTES))
        words = self._stderr.read().decode(errors="replace").strip().splitlines() or ["no message"]
        raise RunnerError(
            f"the probe host of {self._interpreter} ended early (exit code {code}): {words[-1]}",
            code="probe_host_ended",
            hint="check that this Python can `import torch`",
        )

    def _kill(self) -> None:
        # ranks have process groups of their own and die with the host (PR_SET_PDEATHSIG)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
