"""Which launches a thread asks about at this moment, by the interrupts that ask."""

from langchain_core.runnables import RunnableConfig

from graph.build import builder
from graph.checkpoint import open_saver
from runners import Home


def asked_launches(home: Home, thread_id: str) -> dict[str, str]:
    """Return the launch hash of each pending approval, by the id of its interrupt.

    An interrupt's id comes of the checkpoint that it was raised in: no two launches share
    one, not even where a thread was deleted and made again under the same name.

    Args:
        home: The home folder with the threads.
        thread_id: The thread; one that does not exist asks nothing.

    Raises:
        OSError: The file of the threads cannot be made.
        sqlite3.Error: It is no database, or stays locked for 30 s.
    """
    place: RunnableConfig = {"configurable": {"thread_id": thread_id}}
    with open_saver(home) as saver:
        pending = builder.compile(checkpointer=saver).get_state(place).interrupts
    return {each.id: each.value["launch_hash"] for each in pending if each.value.get("kind") == "approval"}
