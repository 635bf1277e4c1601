"""What a study returns: the JSON object of `ask --study`."""

from typing import Self

from contracts.base import Contract
from contracts.launch import LaunchRequest
from contracts.report import Report
from contracts.study import Study
from interfaces.results import Thread


class StudyAnswer(Contract):
    """A study, and where its thread stands."""

    thread_id: str
    """Id of the thread."""
    phase: str
    """done: concluded; awaiting_approval: its trials wait for a person; running: they run."""
    study: Study | None
    """The study; null where something is missing to begin it."""
    launch_hash: str | None
    """Launch of the trials that waits for approval, or was decided on; null where none is needed."""
    launch: LaunchRequest | None
    """That launch."""
    run_id: str | None
    """The run of the trials."""
    report: Report | None
    """The written account: Markdown, HTML and the picture; null until the study has come to rest."""

    @classmethod
    def of_thread(cls, thread: Thread) -> Self:
        """Return the study of a thread."""
        return cls(
            thread_id=thread.thread_id,
            phase=thread.phase,
            study=thread.study,
            launch_hash=thread.launch_hash,
            launch=thread.plan.launch if thread.plan else None,
            run_id=thread.run_id,
            report=thread.report,
        )
