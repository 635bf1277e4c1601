"""Every error that a user can meet.

```
FsdpAgentError
 +-- InputError (ValueError)         what was given cannot be used       exit 2
 |    +-- RequestInvalid             a request, a configuration or data
 |    +-- FileUnreadable             a path that is missing or no file
 +-- CannotBeKnown (ValueError)      an input without a sensible default exit 3
 +-- NotAllowed (RuntimeError)       a person's decision is missing      exit 5
 |    +-- ApprovalMissing            nobody has approved this launch
 |    +-- ApprovalForged             the seal was not made by an approver
 |    +-- ContentChanged             what was approved is not what is there
 +-- RunnerError (RuntimeError)      the runner could not do it          exit 2
      +-- UnknownRun                 no run with this id
      +-- KeyConflict                the key names a run of another launch
      +-- RunFolderUnwritable        the run folder cannot be written
      +-- WrongState                 the run's state does not allow it
```

They derive from ValueError or RuntimeError because a LangGraph server hides the text
of all others from its clients.
"""

from typing import Any


class FsdpAgentError(Exception):
    """The root: a message for a person and a code for a program."""

    code: str = "error"
    exit_code: int = 2

    def __init__(self, message: str, *, code: str | None = None, hint: str = "") -> None:
        """Keep the message, a stable code and how to mend it.

        Args:
            message: What is wrong, with the value that was given.
            code: A stable snake_case word; the class has its default.
            hint: What to do about it; empty where the message says it.
        """
        super().__init__(message)
        self.message = message
        self.hint = hint
        if code is not None:
            self.code = code

    def as_json(self) -> dict[str, Any]:
        """Return the form in which the error leaves through any door."""
        body = {"code": self.code, "message": self.message}
        return {"ok": False, "error": body | ({"hint": self.hint} if self.hint else {})}


class InputError(FsdpAgentError, ValueError):
    """What was given cannot be used."""

    code = "input_error"


class RequestInvalid(InputError):
    """A request, a configuration or a data file breaks its contract."""

    code = "request_invalid"


class FileUnreadable(InputError):
    """A path is missing, is no file of its kind, or cannot be read."""

    code = "file_unreadable"


class CannotBeKnown(FsdpAgentError, ValueError):
    """An input is missing for which no default would be sensible."""

    code = "cannot_be_known"
    exit_code = 3


class NotAllowed(FsdpAgentError, RuntimeError):
    """A person's decision is missing, or says no."""

    code = "not_allowed"
    exit_code = 5


class ApprovalMissing(NotAllowed):
    """Nobody has approved this launch."""

    code = "approval_missing"


class ApprovalForged(NotAllowed):
    """The approval's seal was not made with the approver's secret."""

    code = "approval_forged"


class ContentChanged(NotAllowed):
    """The launch, or a file that it names, is not what was approved."""

    code = "content_changed"


class RunnerError(FsdpAgentError, RuntimeError):
    """The runner could not do what it was asked."""

    code = "runner_error"


class UnknownRun(RunnerError):
    """There is no run with this id."""

    code = "unknown_run"


class KeyConflict(RunnerError):
    """The idempotency key already names a run of another launch."""

    code = "key_conflict"


class RunFolderUnwritable(RunnerError):
    """The run folder cannot be made or written."""

    code = "run_folder_unwritable"


class WrongState(RunnerError):
    """The run's state does not allow this operation."""

    code = "wrong_state"
