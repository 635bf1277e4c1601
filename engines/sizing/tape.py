"""A tape of allocations: tensors with reference counts, operations with their backward.

A piece of a model (a block, the head with its loss) is recorded once as two programs,
forward and backward, each a list of (slot, bytes) for an allocation and (slot, 0) for a
release. The programs are then replayed for every layer and step. What keeps a tensor
alive is what keeps it alive in torch: the Python frame that made it, and autograd nodes
that saved it.
"""

from collections.abc import Callable
from enum import Enum

Event = tuple[int, int]
"""(slot, bytes): an allocation; (slot, 0): the release of that slot."""

Program = list[Event]
"""Events in order."""


class Mode(Enum):
    """What a forward pass leaves behind."""

    KEEP = "keep"
    """Every tensor that the backward needs."""
    DROP = "drop"
    """Nothing: the checkpointed region runs again in the backward."""
    SELECT = "select"
    """The results that a selective policy keeps."""
    RECOMPUTE = "recompute"
    """As KEEP, in the backward: kept results are taken instead of computed again."""


class Tensor:
    """A tensor of the recorded piece."""

    __slots__ = ("grad", "needs_grad", "phantom", "size", "slot")

    def __init__(self, slot: int, size: int, needs_grad: bool) -> None:
        """Name the slot and the size in bytes."""
        self.slot, self.size, self.needs_grad = slot, size, needs_grad
        self.phantom = False
        self.grad: Tensor | None = None


class Tape:
    """Records the allocations of a piece, its forward first and then its backward."""

    def __init__(self, mode: Mode = Mode.KEEP, *, compiled: bool = False) -> None:
        """Start recording a forward pass.

        Args:
            mode: What it leaves behind.
            compiled: A compiler keeps nothing that nobody reads.
        """
        self.mode, self._compiled = mode, compiled
        self.events: Program = []
        self.weight_grads: list[Tensor] = []
        self._references: list[int] = []
        self._nodes: list[Callable[[], None]] = []
        self._kept: dict[str, Tensor] = {}
        self._products = 0

    def external(self, size: int, *, needs_grad: bool = True) -> Tensor:
        """Return a tensor that whoever replays the program puts into its slot."""
        self._references.append(1)
        return Tensor(len(self._references) - 1, size, needs_grad)

    def new(self, size: int, *, needs_grad: bool = True) -> Tensor:
        """Allocate a tensor, held by the frame that made it."""
        tensor = self.external(size, needs_grad=needs_grad)
        self.events.append((tensor.slot, max(1, size)))
        return tensor

    def final(self, size: int) -> Tensor:
        """Allocate what ends the block; a recomputation stops before it is computed."""
        if self.mode is not Mode.RECOMPUTE:
            return self.new(size)
        tensor = self.external(size)
        tensor.phantom = True
        return tensor

    def view(self, tensor: Tensor, size: int) -> Tensor:
        """Return a part of a tensor that shares its memory and has a gradient of its own."""
        part = Tensor(tensor.slot, size, tensor.needs_grad)
        return self.hold(part)

    def over(self, size: int, *sources: Tensor) -> Tensor:
        """Allocate a result; a compiler writes it over a source that nobody else holds."""
        for source in sources if self._compiled else ():
            if source.size == size and self._references[source.slot] == 1 and not source.phantom:
                return self.hold(Tensor(source.slot, size, True))
        return self.new(size)

    def hold(self, tensor: Tensor) -> Tensor:
        """Add a reference."""
        self._references[tensor.slot] += 1
        return tensor

    def drop(self, *tensors: Tensor) -> None:
        """Take a reference from each; the last one releases the memory."""
        for tensor in tensors:
            self._references[tensor.slot] -= 1
            assert self._references[tensor.slot] >= 0, "dropped twice"
            if not self._references[tensor.slot] and not tensor.phantom:
                self.events.append((tensor.slot, 0))

    def scratch(self, *sizes: int) -> None:
        """Allocate some tensors together and release them at once."""
        self.drop(*[self.new(size) for size in sizes])

    def save(self, *tensors: Tensor) -> tuple[Tensor, ...]:
        """Hold what the backward needs, unless this pass leaves nothing behind."""
        if not self.saving:
            return ()
        return tuple(self.hold(tensor) for tensor in tensors)

    @property
    def saving(self) -> bool:
        """Whether this pass records for a backward."""
        return self.mode in (Mode.KEEP, Mode.RECOMPUTE)

    def product(
        self, name: str, size: int, *, alternate: bool = True, final: bool = False, kept: bool = True
    ) -> Tensor:
        """Return the result of a matrix product (or attention), which a policy may keep.

        Args:
            name: Name of the result within the block.
            size: Its bytes.
            alternate: Counted among the products of which every second one is kept;
                otherwise always kept.
            final: The last result of the block.
            kept: Whether the policy knows the operation.
        """
        if alternate:
            self._products += 1
            kept = self._products % 2 == 1
        if self.mode is Mode.RECOMPUTE and name in self._kept and not final:
            return self._kept.pop(name)
        result = self.final(size) if final else self.new(size)
        if self.mode is Mode.SELECT and kept and not (final and self._compiled):
            self._kept[name] = self.hold(result)
        return result

    def node(self, backward: Callable[[], None]) -> None:
        """Record how an operation's gradients are allocated."""
        if self.saving:
            self._nodes.append(backward)

    def give(self, tensor: Tensor, grad: Tensor) -> None:
        """Hand over a gradient; a second one is added in place and released."""
        if not tensor.needs_grad:
            self.drop(grad)
        elif tensor.grad is None:
            tensor.grad = grad
        else:
            self.drop(grad)

    def take(self, tensor: Tensor) -> Tensor:
        """Return the gradient that arrived for a tensor."""
        assert tensor.grad is not None, "no gradient arrived"
        grad, tensor.grad = tensor.grad, None
        return grad

    def backward(self) -> None:
        """Run the recorded nodes backward."""
        while self._nodes:
            self._nodes.pop()()

    def forget_kept(self) -> None:
        """Release kept results that no recomputation asked for."""
        self.drop(*self._kept.values())
        self._kept.clear()

    def restart(self) -> None:
        """Begin the recomputation of the same forward pass."""
        self.mode, self._products = Mode.RECOMPUTE, 0

    @property
    def slots(self) -> int:
        """Slots that a replay needs."""
        return len(self._references)
