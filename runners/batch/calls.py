"""Call Slurm's programs: argument lists, a limit of time, and three kinds of answers."""

import os
import subprocess
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from contracts.errors import RunnerError

_LIMIT_S = 20.0
"""squeue itself gives up after about 18 s where slurmctld does not answer."""
_WORDS_LIMIT_CHARS = 300
_UNKNOWN = ("Invalid job id", "Invalid job ID")


class SlurmAbsent(RunnerError):
    """Slurm's programs are not installed here."""

    code = "slurm_absent"


class Answer(NamedTuple):
    """What a program said."""

    code: int | None
    """Exit status; None: it did not answer in time."""
    output: str
    """Standard output."""
    errors: str
    """Standard error."""

    @property
    def good(self) -> bool:
        """Whether it did what it was asked."""
        return self.code == 0

    @property
    def unknown_job(self) -> bool:
        """Whether Slurm answered that it knows no such job."""
        return any(words in self.errors for words in _UNKNOWN)

    @property
    def words(self) -> str:
        """Its last words, for a person."""
        if self.code is None:
            return f"no answer within {_LIMIT_S:.0f} s"
        lines = [line for line in (self.errors or self.output).splitlines() if line.strip()]
        return (lines[-1].strip() if lines else f"exit status {self.code}")[:_WORDS_LIMIT_CHARS]


def call(words: Sequence[str], *, keep: Sequence[int] = (), env: Mapping[str, str] | None = None) -> Answer:
    """Run one of Slurm's programs.

    Args:
        words: The program and its arguments.
        keep: Descriptors that it inherits: a lock is then held until it has ended, whoever
            is killed meanwhile.
        env: Its environment; this process's where None.

    Raises:
        SlurmAbsent: The program is not installed.
    """
    try:
        done = subprocess.run(
            list(words),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_LIMIT_S,
            env=dict(os.environ if env is None else env),
            pass_fds=tuple(keep),
            check=False,
        )
    except subprocess.TimeoutExpired:
        return Answer(None, "", "")
    except OSError as error:
        raise SlurmAbsent(
            f"{words[0]} cannot be run: {error.strerror}",
            hint="submit from a machine of the cluster that has Slurm's client programs",
        ) from error
    return Answer(done.returncode, done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace"))
