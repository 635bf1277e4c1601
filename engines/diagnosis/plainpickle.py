"""Reads pickles that hold plain data alone: nothing is imported, called or built but dicts, lists and scalars.

A flight recorder dump and a memory snapshot are pickles. Their opcodes are read one by one; one that names
a class, a function or a persistent object ends the reading.
"""

import pickletools
import struct
from collections.abc import Callable
from typing import Any

from contracts.errors import FileUnreadable
from engines.diagnosis.quickpickle import load_quick

BYTES_MAX = 64 << 20
"""Size from which a pickle is not read."""
_OPCODES_MAX = 8_000_000
_DEPTH_MAX = 10_000
_MARK = object()

_VALUES: dict[str, Any] = {"NONE": None, "NEWTRUE": True, "NEWFALSE": False}
_EMPTY: dict[str, Callable[[], Any]] = {"EMPTY_DICT": dict, "EMPTY_LIST": list, "EMPTY_TUPLE": tuple, "EMPTY_SET": set}
_SCALARS = frozenset(
    (
        "INT", "BININT", "BININT1", "BININT2", "LONG", "LONG1", "LONG4", "FLOAT", "BINFLOAT", "STRING", "BINSTRING",
        "SHORT_BINSTRING", "UNICODE", "SHORT_BINUNICODE", "BINUNICODE", "BINUNICODE8", "BINBYTES", "SHORT_BINBYTES",
        "BINBYTES8",
    )
)  # fmt: skip
_NOTHING = frozenset(("PROTO", "FRAME"))


def load_plain(data: bytes) -> Any:
    """Return what a pickle of plain data holds.

    Args:
        data: The pickle.

    Raises:
        FileUnreadable: It is too large, damaged, or holds anything but plain data.
    """
    if len(data) > BYTES_MAX:
        raise FileUnreadable(f"the pickle has {len(data)} bytes, more than {BYTES_MAX} are not read")
    try:
        if (quick := load_quick(data)) is not None:
            return quick[0]
        machine = _Machine()
        for count, (opcode, argument, _) in enumerate(pickletools.genops(data)):
            if count > _OPCODES_MAX:
                raise FileUnreadable("the pickle has too many opcodes")
            if opcode.name == "STOP":
                return machine.stack.pop()
            machine.step(opcode.name, argument)
    except FileUnreadable:
        raise
    except (ValueError, IndexError, TypeError, KeyError, AttributeError, struct.error, MemoryError) as error:
        raise FileUnreadable(f"the pickle is damaged: {error}") from None
    raise FileUnreadable("the pickle has no end")


class _Machine:
    """The stack and the memo of a pickle."""

    def __init__(self) -> None:
        self.stack: list[Any] = []
        self.memo: dict[int, Any] = {}

    def step(self, name: str, argument: Any) -> None:
        """Carry out one opcode."""
        if name in _SCALARS:
            self.stack.append(argument)
        elif name in _VALUES:
            self.stack.append(_VALUES[name])
        elif name in _EMPTY:
            self.stack.append(_EMPTY[name]())
        elif name not in _NOTHING and not self._memo_step(name, argument) and not self._build(name):
            raise FileUnreadable(f"the pickle holds more than plain data ({name}); it is not read")
        if len(self.stack) > _DEPTH_MAX and name == "MARK":
            raise FileUnreadable("the pickle is nested too deeply")

    def _memo_step(self, name: str, argument: Any) -> bool:
        if name in ("PUT", "BINPUT", "LONG_BINPUT"):
            self.memo[argument] = self.stack[-1]
        elif name == "MEMOIZE":
            self.memo[len(self.memo)] = self.stack[-1]
        elif name in ("GET", "BINGET", "LONG_BINGET"):
            self.stack.append(self.memo[argument])
        elif name == "MARK":
            self.stack.append(_MARK)
        elif name == "POP":
            self.stack.pop()
        else:
            return False
        return True

    def _build(self, name: str) -> bool:
        stack = self.stack
        if name in ("TUPLE1", "TUPLE2", "TUPLE3"):
            count = int(name[-1])
            stack[-count:] = [tuple(stack[-count:])]
        elif name in ("TUPLE", "LIST", "DICT", "FROZENSET"):
            items = self._since_mark()
            kinds: dict[str, Callable[[list[Any]], Any]] = {"TUPLE": tuple, "LIST": list, "FROZENSET": frozenset}
            stack.append(dict(zip(items[::2], items[1::2], strict=True)) if name == "DICT" else kinds[name](items))
        elif name == "APPEND":
            value = stack.pop()
            stack[-1].append(value)
        elif name in ("APPENDS", "ADDITEMS"):
            items = self._since_mark()
            stack[-1].extend(items) if name == "APPENDS" else stack[-1].update(items)
        elif name == "SETITEM":
            value, key = stack.pop(), stack.pop()
            stack[-1][key] = value
        elif name == "SETITEMS":
            items = self._since_mark()
            stack[-1].update(zip(items[::2], items[1::2], strict=True))
        else:
            return False
        return True

    def _since_mark(self) -> list[Any]:
        at = len(self.stack) - 1
        while self.stack[at] is not _MARK:
            at -= 1
            if at < 0:
                raise ValueError("a mark is missing")
        items = self.stack[at + 1 :]
        del self.stack[at:]
        return items
