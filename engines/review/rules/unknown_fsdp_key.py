"""HF206: a key inside fsdp_config that nobody reads: misspelt, or another framework's.

Nested keys are not validated by accelerate and transformers: such a key is silently ignored.
Silent for keys that Python code of the review asks for by name: a project's own settings.
"""

import difflib
import re
from collections.abc import Iterator

from engines.review.configuration import Document
from engines.review.flow.written import code_has
from engines.review.rule import Hit, Rule

RULE = Rule(
    id="HF206",
    slug="unknown-fsdp-key",
    severity="error",
    fix="Use the key that this framework reads.",
    reads="config",
)

_COMMON = frozenset(
    (
        *("version", "reshard_after_forward", "auto_wrap_policy", "min_num_params", "transformer_layer_cls_to_wrap"),
        *("state_dict_type", "activation_checkpointing", "cpu_ram_efficient_loading", "forward_prefetch"),
        *("backward_prefetch", "use_orig_params", "sync_module_states"),
    )
)
_ACCELERATE = _COMMON | {"offload_params", "sharding_strategy"}
_TRAINER = _COMMON | {
    "cpu_offload",
    "limit_all_gathers",
    "xla",
    "xla_fsdp_v2",
    "xla_fsdp_settings",
    "xla_fsdp_grad_ckpt",
}
_KNOWN = {"accelerate": _ACCELERATE, "trainer": _TRAINER, "fsdp_json": _TRAINER}
_FORMER = frozenset(("backward_prefetch_policy", "mixed_precision_policy", "config_file", "limit_all_gathers"))
"""Keys that older versions wrote: ignored today, but no slip of the pen."""
_MEANT = {"offload_params": "cpu_offload", "offload": "offload_params", "cpu_offload": "offload_params"}


def check(document: Document) -> Iterator[Hit]:
    """Yield keys of the fsdp section that the framework does not read."""
    known = _KNOWN.get(document.kind)
    if known is None:
        return
    keys = [entry.path.removeprefix("fsdp.") for entry in document.section("fsdp")]
    foreign = document.kind == "fsdp_json" and 2 * sum(key in known for key in keys) < len(keys)
    for entry in document.section("fsdp") if not foreign else ():  # else a file of the project's own, with more in it
        key = entry.path.removeprefix("fsdp.")
        if key in known or entry.value is None or _asked_for(document, entry.written):
            continue
        if key in _FORMER and document.get(f"fsdp.{key.removesuffix('_policy')}") not in (None, entry):
            continue  # both names, for old and new versions
        meant = _MEANT.get(key, "")
        close = [meant] if meant in known else difflib.get_close_matches(key, known, n=1, cutoff=0.75)
        hint = f"; {close[0]} is meant?" if close else ""
        if document.kind == "fsdp_json" and not close:
            continue
        yield Hit(
            document.file,
            entry.line,
            entry.column,
            f"{entry.written} is not read by {'accelerate' if document.kind == 'accelerate' else 'transformers'}{hint}",
            severity="warning" if key in _FORMER else None,
        )


def _asked_for(document: Document, key: str) -> bool:
    """Tell whether a program beside the configuration names the key in quotes."""
    quoted = re.compile(rf"""["']{re.escape(key)}["']""")
    return any(code_has(quoted, text) for text in document.programs)
