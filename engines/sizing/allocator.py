"""A model of torch's CUDA caching allocator: what is reserved, given what is asked for.

Each stream has pools of its own, one for small and one for large requests; a block that is
freed on one stream cannot serve another. Within a pool the smallest free block that is
large enough is taken, split where enough is left over, and joined with free neighbours
when it comes back. Where nothing fits, the classic allocator asks the driver for another
segment; with expandable segments the pool's one segment grows at its end instead.

The rules and byte counts are those of c10/cuda/CUDACachingAllocator.cpp (torch 2.1 to 2.13).
"""

from bisect import bisect_left, insort
from typing import Final

MIB: Final = 1 << 20

ROUNDING_BYTES: Final = 512
"""kMinBlockSize: every request is rounded up to a multiple of this."""

SMALL_BYTES: Final = MIB
"""kSmallSize: requests up to this come from the small pool."""

SMALL_SEGMENT_BYTES: Final = 2 * MIB
"""kSmallBuffer: segments of the small pool."""

LARGE_SEGMENT_BYTES: Final = 20 * MIB
"""kLargeBuffer: segments for requests below MIN_LARGE_BYTES, and the expandable granularity."""

MIN_LARGE_BYTES: Final = 10 * MIB
"""kMinLargeAlloc: larger requests get a segment of their own size."""

LARGE_ROUNDING_BYTES: Final = 2 * MIB
"""kRoundLarge: such segments are rounded up to a multiple of this."""


class Block:
    """A piece of a segment, in use or free."""

    __slots__ = ("address", "following", "free", "pool", "previous", "retired", "size")

    def __init__(self, address: int, size: int, pool: "_Pool") -> None:
        """Start as a block in use, without neighbours."""
        self.address, self.size, self.pool = address, size, pool
        self.free = self.retired = False
        self.previous: Block | None = None
        self.following: Block | None = None


class _Pool:
    """The blocks of one stream and size class."""

    __slots__ = ("expandable", "free", "reserved", "smallest_rest", "stream", "tail", "unit")

    def __init__(self, stream: int, small: bool, expandable: bool) -> None:
        self.stream, self.expandable = stream, expandable
        self.free: list[tuple[int, int, Block]] = []
        self.reserved = 0
        self.tail: Block | None = None
        self.unit = SMALL_SEGMENT_BYTES if small else LARGE_SEGMENT_BYTES
        # What is left of a block is split off when it is at least this large.
        self.smallest_rest = ROUNDING_BYTES if small or expandable else SMALL_BYTES + 1


class CachingAllocator:
    """The allocator of one device.

    Attributes:
        active: Bytes in use now.
        reserved: Bytes held from the driver now.
        peak_active: Most bytes that were in use at once.
        peak_reserved: Most bytes that were held at once.
    """

    def __init__(self, *, expandable: bool, limit: int | None = None) -> None:
        """Start empty.

        Args:
            expandable: expandable_segments:True.
            limit: Bytes that the driver has to give; before more is asked for, cached memory
                is given back. None: without limit.
        """
        self._expandable, self._limit = expandable, limit
        self._pools: dict[int, tuple[_Pool, _Pool]] = {}
        self._next_address = 0
        self.active = self.reserved = self.peak_active = self.peak_reserved = 0

    def reserved_by(self, stream: int) -> int:
        """Return the bytes that one stream's pools hold."""
        return sum(pool.reserved for pool in self._pools.get(stream, ()))

    def malloc(self, size: int, stream: int = 0) -> Block:
        """Return a block of at least `size` bytes in a stream's pool."""
        size = -(-size // ROUNDING_BYTES) * ROUNDING_BYTES or ROUNDING_BYTES
        pools = self._pools.get(stream)
        if pools is None:
            pools = self._pools[stream] = (
                _Pool(stream, True, self._expandable),
                _Pool(stream, False, self._expandable),
            )
        pool = pools[size > SMALL_BYTES]
        block = self._best_fit(pool, size) or self._extend(pool, size)
        rest = block.size - size
        if rest >= pool.smallest_rest:
            self._split(block, size)
        block.free = False
        self.active += block.size
        if self.active > self.peak_active:
            self.peak_active = self.active
        return block

    def retire(self, block: Block) -> None:
        """Take a block that another stream still reads: freed for its owner, but not to be reused yet."""
        self.active -= block.size
        block.retired = True

    def release(self, block: Block) -> None:
        """Take a block back and join it with its free neighbours."""
        pool = block.pool
        if block.retired:
            block.retired = False
        else:
            self.active -= block.size
        before, after = block.previous, block.following
        if before is not None and before.free:
            self._unlist(before)
            before.size += block.size
            before.following = after
            if after is not None:
                after.previous = before
            if pool.tail is block:
                pool.tail = before
            block = before
        if after is not None and after.free:
            self._unlist(after)
            block.size += after.size
            block.following = after.following
            if after.following is not None:
                after.following.previous = block
            if pool.tail is after:
                pool.tail = block
        block.free = True
        insort(pool.free, (block.size, block.address, block))

    def _best_fit(self, pool: _Pool, size: int) -> Block | None:
        index = bisect_left(pool.free, (size,))
        if index == len(pool.free):
            return None
        # The end of an expandable segment counts as large as it may grow: any other
        # block that is large enough is preferred.
        if pool.expandable and pool.free[index][2] is pool.tail and index + 1 < len(pool.free):
            index += 1
        return pool.free.pop(index)[2]

    def _extend(self, pool: _Pool, size: int) -> Block:
        """Return a free block (in no list) that new memory from the driver made."""
        if self._limit is not None and self.reserved + self._asked(pool, size) > self._limit:
            self._give_back()
        if not pool.expandable:
            return self._segment(pool, _segment_size(size))
        tail = pool.tail
        if tail is not None and tail.free:
            self._unlist(tail)
            tail.size += self._grown(pool, size - tail.size)
            return tail
        block = self._segment(pool, -(-size // pool.unit) * pool.unit)
        block.previous = tail
        if tail is not None:
            tail.following = block
        pool.tail = block
        return block

    @staticmethod
    def _asked(pool: _Pool, size: int) -> int:
        """Return the bytes that the driver would be asked for."""
        if not pool.expandable:
            return _segment_size(size)
        there = pool.tail.size if pool.tail is not None and pool.tail.free else 0
        return -(-(size - there) // pool.unit) * pool.unit

    def _grown(self, pool: _Pool, missing: int) -> int:
        grown = -(-missing // pool.unit) * pool.unit
        self._reserve(pool, grown)
        return grown

    def _segment(self, pool: _Pool, size: int) -> Block:
        self._reserve(pool, size)
        block = Block(self._next_address, size, pool)
        self._next_address += size + (1 << 40 if pool.expandable and pool.tail is None else 0)
        if pool.expandable and pool.tail is not None:
            block.address = pool.tail.address + pool.tail.size
        return block

    def _reserve(self, pool: _Pool, size: int) -> None:
        pool.reserved += size
        self.reserved += size
        self.peak_reserved = max(self.peak_reserved, self.reserved)

    def _give_back(self) -> None:
        """Return cached memory to the driver: free segments, or the free end of an expandable one."""
        for pool in (pool for pools in self._pools.values() for pool in pools):
            whole = [block for _, _, block in pool.free if block.previous is None and block.following is None]
            for block in whole:
                self._unlist(block)
                self._returned(pool, block.size)
                if pool.tail is block:
                    pool.tail = None
            tail = pool.tail
            if tail is not None and tail.free and tail.size > pool.unit:
                self._unlist(tail)
                pages = (tail.size - 1) // pool.unit * pool.unit
                tail.size -= pages
                self._returned(pool, pages)
                insort(pool.free, (tail.size, tail.address, tail))

    def _returned(self, pool: _Pool, size: int) -> None:
        pool.reserved -= size
        self.reserved -= size

    @staticmethod
    def _split(block: Block, size: int) -> None:
        """Cut a block down to `size` and list what is left as free."""
        pool = block.pool
        rest = Block(block.address + size, block.size - size, pool)
        rest.free = True
        rest.previous, rest.following = block, block.following
        if block.following is not None:
            block.following.previous = rest
        block.following, block.size = rest, size
        if pool.tail is block:
            pool.tail = rest
        insort(pool.free, (rest.size, rest.address, rest))

    @staticmethod
    def _unlist(block: Block) -> None:
        free = block.pool.free
        free.pop(bisect_left(free, (block.size, block.address)))


def _segment_size(size: int) -> int:
    """Return the bytes of the classic allocator's segment for a request."""
    if size <= SMALL_BYTES:
        return SMALL_SEGMENT_BYTES
    if size < MIN_LARGE_BYTES:
        return LARGE_SEGMENT_BYTES
    return -(-size // LARGE_ROUNDING_BYTES) * LARGE_ROUNDING_BYTES
