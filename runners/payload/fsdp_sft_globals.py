"""What a checkpoint's `.metadata` names, read without unpickling it. Standard library only.

`.metadata` is a pickle, and unpickling one calls whatever it names: who can write the run
folder could have a resuming rank run code of his. The manifest is no help, for he writes
that too. So only what a checkpoint of this payload names is let through.
"""

import pickletools

_METADATA_CLASSES = (
    "BytesStorageMetadata",
    "ChunkStorageMetadata",
    "Metadata",
    "MetadataIndex",
    "StorageMeta",
    "TensorProperties",
    "TensorStorageMetadata",
    "_MEM_FORMAT_ENCODING",
)
_DTYPES = ("bfloat16", "bool", "float16", "float32", "float64", "int16", "int32", "int64", "int8", "uint8")
ALLOWED = frozenset(
    [("torch.distributed.checkpoint.metadata", name) for name in _METADATA_CLASSES]
    + [("torch", name) for name in (*_DTYPES, "Size")]
    + [
        ("torch.distributed.checkpoint.filesystem", "_StorageInfo"),
        ("torch.serialization", "_get_layout"),
        # the folder that was written to; Python 3.13 has it in a module of its own
        ("pathlib", "PosixPath"),
        ("pathlib._local", "PosixPath"),
    ]
)
"""Modules and names that torch 2.6 to 2.14 write into `.metadata`: none of them acts."""

_STRINGS = {"SHORT_BINUNICODE", "BINUNICODE", "BINUNICODE8", "UNICODE"}
_PUTS = {"PUT", "BINPUT", "LONG_BINPUT"}
_GETS = {"GET", "BINGET", "LONG_BINGET"}
# they leave the stack as it is
_SILENT = {"PROTO", "FRAME"}
# they name by a registry, by a stranger's table, or in a way that no pickler of today has
_REFUSED = {"INST", "EXT1", "EXT2", "EXT4", "PERSID", "BINPERSID", "NEXT_BUFFER", "READONLY_BUFFER"}


def find_pickle_fault(body: bytes) -> str | None:
    """Return why a `.metadata` may not be unpickled, or None where it may.

    Args:
        body: The file.
    """
    try:
        return _first_fault(body)
    except Exception as error:  # whatever the decoder of the opcodes stumbles over
        return f"is no pickle that can be read: {error}"


def _first_fault(body: bytes) -> str | None:
    memo: dict[int, str | None] = {}
    # the two topmost entries of the stack where they are strings, else None
    below: str | None = None
    top: str | None = None
    for opcode, argument, _ in pickletools.genops(body):
        name = opcode.name
        if name in _REFUSED:
            return f"has the opcode {name}, which no checkpoint of ours needs"
        if name in ("GLOBAL", "STACK_GLOBAL"):
            # GLOBAL's argument is both, with a space between them
            module, _, attribute = argument.partition(" ") if argument else (below or "?", "", top or "?")
            if (module, attribute) not in ALLOWED:
                return f"names {module}.{attribute}, which no checkpoint of ours needs"
        if name == "MEMOIZE":
            memo[len(memo)] = top
        elif name in _PUTS:
            memo[argument] = top
        elif name in _STRINGS:
            below, top = top, argument
        elif name in _GETS:
            below, top = top, memo.get(argument)
        elif name not in _SILENT:
            below = top = None
    return None
