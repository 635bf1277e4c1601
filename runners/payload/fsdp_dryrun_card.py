"""A card that is not there: a device of its own for fake tensors, with streams that are counted.

Fake tensors on `cuda` need a CUDA build; on `cpu` much of FSDP behaves otherwise (no
copy to the host, no streams). A private device behaves like a GPU to all of it, and the
stream that is current says in which pool of the caching allocator a tensor would be.
"""

import contextlib
from collections.abc import Iterator
from typing import Any

import torch
import torch.distributed as dist

NAME = "card"
"""Name of the device."""

_BACKEND = "unheard"

_OWN_KERNELS = ("silu_backward", "mish_backward", "_fused_rms_norm")
"""Operations that are one kernel on CUDA and are taken apart on a device without one:
those of native_functions.yaml with a CUDA and a CompositeImplicitAutograd entry."""

_KERNELS = torch.library.Library("aten", "IMPL")
"""Holds the registrations."""


class Stream:
    """A stream, known by its number; 0 is the default one."""

    count = 0

    def __init__(self, device: Any = None, priority: int = 0) -> None:
        del device, priority
        self.stream_id = Stream.count
        Stream.count += 1

    def wait_event(self, event: Any) -> None:
        """Nothing runs, so that nothing waits."""

    def wait_stream(self, stream: Any) -> None:
        """Nothing runs, so that nothing waits."""

    def record_event(self, event: Any = None) -> Any:
        """Return an event that has happened."""
        return event or Event()

    def synchronize(self) -> None:
        """Nothing runs, so that nothing waits."""


class Event:
    """An event that has happened."""

    def __init__(self, *arguments: Any, **settings: Any) -> None:
        del arguments, settings

    def record(self, stream: Any = None) -> "Event":
        """Return itself."""
        del stream
        return self

    def wait(self, stream: Any = None) -> None:
        """Return at once."""

    def synchronize(self) -> None:
        """Return at once."""

    def query(self) -> bool:
        """Say that it has happened."""
        return True


class Card:
    """What torch expects of a device's module (`torch.cuda`)."""

    Stream, Event = Stream, Event

    def __init__(self) -> None:
        self.current = Stream()

    def is_initialized(self) -> bool:
        """Say yes."""
        return True

    def is_available(self) -> bool:
        """Say yes."""
        return True

    def current_device(self) -> int:
        """Return the index of the one card."""
        return 0

    def device_count(self) -> int:
        """Return one."""
        return 1

    def set_device(self, device: Any) -> None:
        """There is but one."""

    def synchronize(self, device: Any = None) -> None:
        """Nothing runs."""

    def current_stream(self, device: Any = None) -> Stream:
        """Return the stream that is current."""
        del device
        return self.current

    @contextlib.contextmanager
    def stream(self, stream: Stream) -> Iterator[None]:
        """Make a stream current while the block runs."""
        before, self.current = self.current, stream
        try:
            yield
        finally:
            self.current = before

    def _is_in_bad_fork(self) -> bool:
        return False

    def manual_seed_all(self, seed: int) -> None:
        """No numbers are drawn."""

    def get_amp_supported_dtype(self) -> list[torch.dtype]:
        """Return what autocast may ask for."""
        return [torch.bfloat16, torch.float16]


def insert_card() -> Card:
    """Make the device known to torch; once in a process."""
    from torch.utils.backend_registration import _setup_privateuseone_for_python_backend

    card = Card()
    _setup_privateuseone_for_python_backend(NAME, card)
    for name in _OWN_KERNELS:
        if hasattr(torch.ops.aten, name):
            _KERNELS.impl(name, _never, "PrivateUse1")
    return card


def _never(*arguments: Any) -> Any:
    """Stand for a kernel: fake tensors ask for its result's shape, and run nothing."""
    raise AssertionError(f"a tensor with memory on {NAME}: {arguments!r}")


@contextlib.contextmanager
def fake_world(size: int) -> Iterator[None]:
    """Be rank 0 of a world whose collectives do nothing.

    Args:
        size: Ranks.
    """
    import torch.distributed._tools.fake_collectives  # noqa: F401 - teaches fake tensors the collectives
    from torch._C._distributed_c10d import FakeProcessGroup
    from torch.testing._internal.distributed.fake_pg import FakeStore

    def create(common: Any, options: Any) -> Any:
        return FakeProcessGroup._create_internal(common.group_rank, common.group_size, options)

    if _BACKEND not in dist.Backend.backend_list:
        dist.Backend.register_backend(_BACKEND, create, extended_api=True, devices=[NAME, "cpu", "cuda"])
    dist.init_process_group(_BACKEND, rank=0, world_size=size, store=FakeStore())
    try:
        yield
    finally:
        dist.destroy_process_group()
