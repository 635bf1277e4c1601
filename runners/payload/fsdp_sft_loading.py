"""How a checkpoint is read back without running what stands in it.

DCP unpickles `.metadata` and every entry that is no tensor. Here the first is checked on
the very bytes that are unpickled, so that no exchange of the file comes in between, and
the second is read with torch's restricted unpickler.
"""

import io
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch
from fsdp_sft_globals import find_pickle_fault
from torch.distributed.checkpoint import DefaultLoadPlanner, FileSystemReader
from torch.distributed.checkpoint.filesystem import FileSystem
from torch.distributed.checkpoint.planner import ReadItem


class CheckedReader(FileSystemReader):
    """Reads a step folder; a `.metadata` that names what ours do not raises ValueError."""

    def __init__(self, folder: Path) -> None:
        """Take the folder.

        Args:
            folder: The step folder.
        """
        super().__init__(folder)
        self.fs = _CheckedFiles()


class RestrictedPlanner(DefaultLoadPlanner):
    """Loads in place as DCP does; entries that are no tensors are plain values."""

    def load_bytes(self, read_item: ReadItem, value: io.BytesIO) -> None:
        """Put an entry into the state.

        Raises:
            pickle.UnpicklingError: It holds more than numbers, strings, tensors and containers of them.
        """
        plain = io.BytesIO()
        # DCP's own planner unpickles whatever it is given: it is given what came through, written anew
        torch.save(torch.load(value, map_location="cpu", weights_only=True), plain)
        plain.seek(0)
        super().load_bytes(read_item, plain)


class _CheckedFiles(FileSystem):
    @contextmanager
    def create_stream(self, path: Any, mode: str) -> Iterator[Any]:
        with super().create_stream(path, mode) as stream:
            if not Path(path).name.endswith(".metadata"):
                yield stream
                return
            body = stream.read()
        if fault := find_pickle_fault(body):
            raise ValueError(f"{Path(path).name} {fault}")
        yield io.BytesIO(body)
