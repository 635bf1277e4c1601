"""Records every storage's beginning and end, with the stream that was current: the allocation trace.

The trace is a text file of JSON arrays, one a line:

    ["a", id, bytes, stream]  a storage begins, or grows again; stream -1: in host memory
    ["f", id]                 it ends
    ["r", id]                 it is emptied and may grow again (FSDP's gathered parameters)
    ["m", phase]              forward, blocks_done, loss, backward or optimizer begins
    ["s"]                     an optimizer step ends
    ["w"]                     a thread's first matrix product

before them an object that describes the run, after them one with the streams' names.
"""

import json
import threading
import weakref
from collections.abc import Callable, Iterable
from typing import IO, Any

import torch
from fsdp_dryrun_card import NAME, Card
from fsdp_dryrun_kernels import PRODUCTS, temporaries
from torch.distributed.tensor import DTensor
from torch.distributed.tensor._sharding_prop import ShardingPropagator
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

HOST = -1
"""Stands for a stream: host memory."""


class Recorder(TorchDispatchMode):
    """A dispatch mode that sees each operation's results."""

    def __init__(self, stream: IO[str], card: Card) -> None:
        """Write to a text stream."""
        super().__init__()
        self._out, self._card = stream, card
        self._known: dict[int, tuple[int, weakref.ref[Any]]] = {}
        self._empty: set[int] = set()
        self._count = 0
        self._threads: set[int] = set()
        self._resize: Callable[..., Any] = torch.UntypedStorage.resize_
        self._shapes: Callable[..., Any] = ShardingPropagator._propagate_tensor_meta_non_cached
        self._paused = False

    def __enter__(self) -> "Recorder":
        recorder, resize = self, self._resize

        def resize_(storage: Any, size: int) -> Any:
            result = resize(storage, size)
            recorder._resized(storage, size)
            return result

        def shapes(*arguments: Any) -> Any:
            # DTensor works out shapes with whole tensors, which are not there on a rank
            recorder._paused = True
            try:
                return recorder._shapes(*arguments)
            finally:
                recorder._paused = False

        torch.UntypedStorage.resize_ = resize_  # type: ignore[method-assign]
        ShardingPropagator._propagate_tensor_meta_non_cached = shapes  # type: ignore[method-assign]
        return super().__enter__()

    def __exit__(self, *reason: Any) -> None:
        torch.UntypedStorage.resize_ = self._resize  # type: ignore[method-assign]
        ShardingPropagator._propagate_tensor_meta_non_cached = self._shapes  # type: ignore[method-assign]
        super().__exit__(*reason)

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if any(issubclass(kind, DTensor) for kind in types):
            return NotImplemented  # its local operations come by themselves
        result = func(*args, **(kwargs or {}))
        if self._paused:
            return result
        self.see(leaf for leaf in tree_leaves(result) if isinstance(leaf, torch.Tensor))
        for size in temporaries(func, args):
            self._count += 1
            self._write(f'["a",{self._count},{size},{self._card.current.stream_id}]\n')
        for back in range(len(temporaries(func, args))):
            self._write(f'["f",{self._count - back}]\n')
        if func in PRODUCTS and threading.get_ident() not in self._threads:
            self._threads.add(threading.get_ident())
            self._write('["w"]\n')
        return result

    def head(self, facts: dict[str, Any]) -> None:
        """Write what the run is."""
        self._write(json.dumps(facts) + "\n")

    def foot(self, facts: dict[str, Any]) -> None:
        """Write the last line: a trace without it was cut."""
        self._write(json.dumps(facts) + "\n")
        self._out.flush()

    def mark(self, phase: str) -> None:
        """Write that a phase begins."""
        self._write(f'["m","{phase}"]\n')

    def end_step(self) -> None:
        """Write that an optimizer step ends."""
        self._write('["s"]\n')

    def see(self, tensors: Iterable[torch.Tensor]) -> None:
        """Note storages that were not known."""
        for tensor in tensors:
            kind = tensor.device.type
            if kind not in (NAME, "cpu"):
                continue
            storage = tensor.untyped_storage()
            key = storage._cdata
            if key in self._known:
                continue
            self._count += 1
            self._known[key] = self._count, weakref.ref(storage, lambda _, key=key: self._ended(key))
            if size := storage.nbytes():
                self._begin(self._count, size, host=kind == "cpu")
            else:
                self._empty.add(self._count)

    def _begin(self, number: int, size: int, *, host: bool) -> None:
        stream = HOST if host else self._card.current.stream_id
        self._write(f'["a",{number},{size},{stream}]\n')

    def _ended(self, key: int) -> None:
        number, _ = self._known.pop(key)
        if number in self._empty:
            self._empty.discard(number)
        else:
            self._write(f'["f",{number}]\n')

    def _resized(self, storage: Any, size: int) -> None:
        known = self._known.get(storage._cdata)
        if known is None:
            return
        number = known[0]
        if number not in self._empty:
            self._write(f'["r",{number}]\n')
            self._empty.add(number)
        if size:
            self._empty.discard(number)
            self._begin(number, size, host=storage.device.type == "cpu")

    def _write(self, line: str) -> None:
        self._out.write(line)
