"""The few opcodes of which PyTorch's own pickles are made, read without a detour: dumps of many ranks are large."""

import struct
from typing import Any

_INT = struct.Struct("<i").unpack_from
_LENGTH = struct.Struct("<I").unpack_from
_SHORT = struct.Struct("<H").unpack_from
_DOUBLE = struct.Struct(">d").unpack_from


def load_quick(data: bytes) -> tuple[Any] | None:
    """Return what a pickle of protocol 2 holds, in a tuple of one; None where it holds any other opcode.

    Only dicts, lists, tuples, texts, numbers, booleans and None are built.

    Args:
        data: The pickle.

    Raises:
        IndexError: It is damaged.
        KeyError: It is damaged.
        TypeError: It is damaged.
        ValueError: It is damaged.
        struct.error: It is damaged.
    """
    stack: list[Any] = []
    marks: list[int] = []
    memo: dict[int, Any] = {}
    push = stack.append
    at = 0
    while True:
        code = data[at]
        at += 1
        if code == 0x58:  # BINUNICODE: X
            (length,) = _LENGTH(data, at)
            at += 4 + length
            push(data[at - length : at].decode("utf-8", "surrogatepass"))
        elif code == 0x71:  # BINPUT: q
            memo[data[at]] = stack[-1]
            at += 1
        elif code == 0x68:  # BINGET: h
            push(memo[data[at]])
            at += 1
        elif code == 0x4B:  # BININT1: K
            push(data[at])
            at += 1
        elif code == 0x72:  # LONG_BINPUT: r
            memo[_LENGTH(data, at)[0]] = stack[-1]
            at += 4
        elif code == 0x6A:  # LONG_BINGET: j
            push(memo[_LENGTH(data, at)[0]])
            at += 4
        elif code == 0x28:  # MARK
            marks.append(len(stack))
        elif code in _BUILDS:
            _build(code, stack, marks)
        else:
            at = _rare(code, data, at, stack)
            if at == _END:
                return (stack.pop(),)
            if at == _UNKNOWN:
                return None


_END, _UNKNOWN = -1, -2
_BUILDS = frozenset(b"ues}])tla\x85\x86\x87")


def _rare(code: int, data: bytes, at: int, stack: list[Any]) -> int:
    """Carry out an opcode that is seldom; return where the next one is."""
    if code == 0x2E:  # STOP
        return _END
    if code == 0x80:  # PROTO
        return at + 1
    if code == 0x4D:  # BININT2: M
        stack.append(_SHORT(data, at)[0])
        return at + 2
    if code == 0x4A:  # BININT: J
        stack.append(_INT(data, at)[0])
        return at + 4
    if code == 0x8A:  # LONG1
        end = at + 1 + data[at]
        stack.append(int.from_bytes(data[at + 1 : end], "little", signed=True))
        return end
    if code == 0x47:  # BINFLOAT: G
        stack.append(_DOUBLE(data, at)[0])
        return at + 8
    if code in b"N\x88\x89":  # NONE, NEWTRUE, NEWFALSE
        stack.append(None if code == 0x4E else code == 0x88)
        return at
    return _UNKNOWN


def _build(code: int, stack: list[Any], marks: list[int]) -> None:
    if code == 0x7D:  # EMPTY_DICT: }
        stack.append({})
    elif code == 0x5D:  # EMPTY_LIST: ]
        stack.append([])
    elif code == 0x29:  # EMPTY_TUPLE: )
        stack.append(())
    elif code == 0x75:  # SETITEMS: u
        start = marks.pop()
        stack[start - 1].update(zip(stack[start::2], stack[start + 1 :: 2], strict=True))
        del stack[start:]
    elif code == 0x65:  # APPENDS: e
        start = marks.pop()
        stack[start - 1].extend(stack[start:])
        del stack[start:]
    elif code == 0x73:  # SETITEM: s
        value, key = stack.pop(), stack.pop()
        stack[-1][key] = value
    elif code == 0x61:  # APPEND: a
        value = stack.pop()
        stack[-1].append(value)
    elif code in b"tl":  # TUPLE, LIST
        start = marks.pop()
        items = stack[start:]
        del stack[start:]
        stack.append(tuple(items) if code == 0x74 else items)
    else:  # TUPLE1 to TUPLE3
        count = code - 0x84
        if len(stack) < count:
            raise IndexError("the stack is empty")
        stack[-count:] = [tuple(stack[-count:])]
