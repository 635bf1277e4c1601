import os
import pickle
import struct

import pytest
import torch
import torch.distributed.checkpoint as dcp
from fsdp_sft_globals import ALLOWED, find_pickle_fault

SYSTEM = "names posix.system, which no checkpoint of ours needs"


def text(word):
    return b"\x8c" + bytes([len(word)]) + word.encode()


def framed(*pieces):
    return b"\x80\x04" + b"".join(pieces) + b"."


def test_a_checkpoint_that_dcp_writes_has_no_fault(tmp_path):
    dtypes = (torch.bfloat16, torch.float32, torch.int64, torch.uint8, torch.bool)
    state = {"model": {str(dtype): torch.ones(3, 2).to(dtype) for dtype in dtypes}, "lr": 0.1, "betas": (0.9, 0.99)}
    dcp.save(state, checkpoint_id=tmp_path / "step", no_dist=True)
    assert find_pickle_fault((tmp_path / "step" / ".metadata").read_bytes()) is None


def test_what_is_allowed_is_classes_and_values_and_one_table_of_layouts():
    import importlib

    for module, name in ALLOWED - {("pathlib._local", "PosixPath")}:
        found = getattr(importlib.import_module(module), name)
        assert isinstance(found, (type, torch.dtype)) or found is torch.serialization._get_layout, (module, name)


class Harm:
    def __reduce__(self):
        return os.system, ("true",)


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_a_function_is_found_however_it_is_pickled_and_wherever_it_stands(protocol):
    for value in (Harm(), {"planner_data": [1, (Harm(),)]}):
        assert find_pickle_fault(pickle.dumps(value, protocol)) == SYSTEM


MEMO = [
    # the names are put away and fetched again, with other strings above and below
    (framed(text("posix"), b"\x94", b"0", text("system"), b"\x94", b"0", b"h\x00", b"h\x01", b"\x93"), SYSTEM),
    (framed(text("posix"), b"q\x07", text("system"), b"q\x09", b"h\x07", b"h\x09", b"\x93"), SYSTEM),
    (framed(text("posix"), b"r", struct.pack("<I", 7), text("system"), b"h\x07", text("system"), b"\x93"), SYSTEM),
    # an allowed pair in the memo, but what is named lies under it
    (framed(text("torch"), b"\x94", text("Size"), b"\x94", b"0", b"0", text("posix"), text("system"), b"\x93"), SYSTEM),
    # a slot is overwritten
    (framed(text("Size"), b"q\x00", b"0", text("system"), b"q\x00", b"0", text("posix"), b"h\x00", b"\x93"), SYSTEM),
]


@pytest.mark.parametrize(("body", "fault"), MEMO)
def test_names_are_followed_through_the_memo(body, fault):
    assert find_pickle_fault(body) == fault


UNKNOWN = [
    # strings of Python 2, and a name that an operation takes off the stack: what lies on top is not known
    framed(b"U\x05posix", b"U\x06system", b"\x93"),
    framed(text("posix"), text("system"), text("torch"), text("Size"), b"0", b"0", b"\x93"),
    framed(text("torch"), text("x"), b"0", text("Size"), b"\x93"),
    # a slot that nothing was put into
    framed(text("torch"), b"h\x05", b"\x93"),
]


@pytest.mark.parametrize("body", UNKNOWN)
def test_a_name_that_cannot_be_followed_is_refused(body):
    assert "which no checkpoint of ours needs" in find_pickle_fault(body)


def test_a_part_of_an_allowed_module_is_not_allowed():
    for module, name in (("torch", "os.system"), ("torch", "load"), ("torch.Size", ""), ("", "torch.Size")):
        assert "which no checkpoint of ours needs" in find_pickle_fault(framed(text(module), text(name), b"\x93"))


@pytest.mark.parametrize("body", [b"(S'true'\niposix\nsystem\n.", framed(b"\x82\x01"), b"Pid\n."])
def test_opcodes_that_no_pickler_of_ours_writes_are_refused(body):
    assert find_pickle_fault(body).startswith("has the opcode ")


@pytest.mark.parametrize("body", [b"", b"meta", b"\x80\x04", pickle.dumps({"a": 1})[:-1]])
def test_what_is_no_pickle_is_refused(body):
    assert find_pickle_fault(body).startswith("is no pickle that can be read: ")
