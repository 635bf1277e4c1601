"""Activations in host memory: what a block keeps leaves after its forward and is back for its backward."""

from engines.sizing.allocator import Block, CachingAllocator

Slots = list[Block | None]
"""The tensors of a recorded piece, while it is replayed."""


class Away:
    """What has left the device.

    Attributes:
        host: Bytes in host memory now.
        host_peak: Most bytes that were there at once.
    """

    def __init__(self, allocator: CachingAllocator) -> None:
        """Start with nothing away."""
        self._allocator = allocator
        self._leaving: tuple[Slots, tuple[int, ...]] | None = None
        self._gone: dict[int, list[tuple[int, int]]] = {}
        self.host = self.host_peak = 0

    def send(self, slots: Slots, kept: tuple[int, ...]) -> None:
        """Start to copy what a block keeps; it is released when the next one does so."""
        if self._leaving:
            before, indices = self._leaving
            left = []
            for index in indices:
                block = before[index]
                assert block is not None, "what is kept is there"
                left.append((index, block.size))
                self._allocator.release(block)
                before[index] = None
            self._gone[id(before)] = left
            self.host += sum(size for _, size in left)
            self.host_peak = max(self.host_peak, self.host)
        self._leaving = slots, kept

    def fetch(self, slots: Slots) -> None:
        """Bring back what a block kept, unless it is still there."""
        if self._leaving and self._leaving[0] is slots:
            self._leaving = None
        for index, size in self._gone.pop(id(slots), ()):
            slots[index] = self._allocator.malloc(size)
            self.host -= size
