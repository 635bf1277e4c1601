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
from typing import IO, Any, NamedTuple

import torch
from fsdp_dryrun_card import NAME, Card
from fsdp_dryrun_kernels import PRODUCTS, temporaries
from torch.distributed.tensor import DTensor
from torch.distributed.tensor._sharding_prop import ShardingPropagator
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

HOST = -1
"""Stands for a stream: host memory."""


class _Sum(NamedTuple):
    """A sum of two gradients that is perhaps one of them."""

    storage: Any
    """Of the result."""
    operands: set[int]
    """Keys of the operands' storages."""


def _alike(tensor: torch.Tensor, result: torch.Tensor) -> bool:
    """Tell whether a tensor fills a storage of its own and could hold the result."""
    whole = tensor.untyped_storage().nbytes() == tensor.numel() * tensor.element_size()
    return whole and tensor.shape == result.shape and tensor.dtype == result.dtype


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
        self._sum: _Sum | None = None
        self._phase = "start"

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
        self._settle_sum()
        if func is torch.ops.aten.add.Tensor and self._accumulates(args, result):
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
        self._settle_sum()
        self._write(json.dumps(facts) + "\n")
        self._out.flush()

    def mark(self, phase: str) -> None:
        """Write that a phase begins."""
        self._settle_sum()
        self._phase = phase
        self._write(f'["m","{phase}"]\n')

    def end_step(self) -> None:
        """Write that an optimizer step ends."""
        self._settle_sum()
        self._write('["s"]\n')

    def see(self, tensors: Iterable[torch.Tensor]) -> None:
        """Note storages that were not known."""
        for tensor in tensors:
            if tensor.device.type in (NAME, "cpu"):
                self._see_storage(tensor.untyped_storage(), tensor.device.type)

    def _see_storage(self, storage: Any, kind: str) -> None:
        key = storage._cdata
        if key in self._known:
            return
        self._count += 1
        self._know(key, self._count, storage)
        if size := storage.nbytes():
            self._begin(self._count, size, host=kind == "cpu")
        else:
            self._empty.add(self._count)

    def _know(self, key: int, number: int, storage: Any) -> None:
        self._known[key] = number, weakref.ref(storage, lambda _: self._ended(key))

    def _accumulates(self, args: tuple[Any, ...], result: torch.Tensor) -> bool:
        """Tell whether a sum is autograd's of two gradients, which it would write into one of them.

        torch/csrc/autograd/input_buffer.cpp adds in place what nobody else holds, but never
        fake tensors. Whether nobody does shows when the operand ends before anything else.
        """
        operands = [value for value in args if isinstance(value, torch.Tensor)]
        alike = len(operands) == 2 and all(_alike(operand, result) for operand in operands)
        if not alike or torch.is_grad_enabled() or self._phase not in ("loss", "backward"):
            return False
        self._sum = _Sum(result.untyped_storage(), {operand.untyped_storage()._cdata for operand in operands})
        return True

    def _settle_sum(self) -> None:
        """Take a sum for a new tensor: both its operands live on."""
        if self._sum is not None:
            waiting, self._sum = self._sum, None
            self._see_storage(waiting.storage, NAME)

    def _begin(self, number: int, size: int, *, host: bool) -> None:
        stream = HOST if host else self._card.current.stream_id
        self._write(f'["a",{number},{size},{stream}]\n')

    def _ended(self, key: int) -> None:
        number, _ = self._known.pop(key)
        if self._sum is not None and key in self._sum.operands:
            taken, self._sum = self._sum.storage, None
            self._know(taken._cdata, number, taken)
            return
        self._settle_sum()
        if number in self._empty:
            self._empty.discard(number)
        else:
            self._write(f'["f",{number}]\n')

    def _resized(self, storage: Any, size: int) -> None:
        self._settle_sum()
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
