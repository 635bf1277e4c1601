"""Where a node works: the home folder of this invocation, and its thread."""

from langgraph.runtime import Runtime

from contracts.errors import FileUnreadable
from contracts.settings import Settings
from runners import Home


def settings_of(runtime: Runtime[Settings]) -> Settings:
    """Return the settings that were given, or those of the environment."""
    return runtime.context or Settings()


def home_of(runtime: Runtime[Settings]) -> Home:
    """Return the agent's home folder."""
    return Home(settings_of(runtime).home)


def approver_key(runtime: Runtime[Settings]) -> bytes:
    """Return the approver's secret.

    Raises:
        FileUnreadable: It cannot be made or read, or others can read it.
    """
    try:
        return home_of(runtime).secret("approve")
    except (OSError, ValueError) as error:
        raise FileUnreadable(f"the approver's secret cannot be used: {error}") from error


def tell(runtime: Runtime[Settings], stage: str, text: str) -> None:
    """Tell whoever streams `custom` events what a node is about; nobody else notices.

    Args:
        runtime: The node's runtime.
        stage: A stable word for a program, such as `sizing`.
        text: The same for a person.
    """
    runtime.stream_writer({"type": "progress", "stage": stage, "text": text})


def thread_of(runtime: Runtime[Settings]) -> str:
    """Return the thread's id; `none` where nothing is kept (no checkpointer)."""
    info = runtime.execution_info
    return str(info.thread_id) if info is not None and info.thread_id else "none"
