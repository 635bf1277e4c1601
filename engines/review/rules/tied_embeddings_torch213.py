"""HF216: accelerate before 1.15 with torch 2.13 shards tied embeddings into two FSDP2 units.

Whether the model ties its embeddings is not known here, so it is a warning.
"""

from collections.abc import Iterator

from engines.review.requirements import Requirements
from engines.review.rule import Hit, Rule

RULE = Rule(
    id="HF216",
    slug="tied-embeddings-torch213",
    severity="warning",
    fix="accelerate>=1.15.0",
    reads="requirements",
    card="tied-params-split-groups",
)

_FIXED_IN = (1, 15)
_REFUSES_FROM = (2, 13)


def check(requirements: Requirements) -> Iterator[Hit]:
    """Yield the pin of accelerate where FSDP2 is used through it on a torch that refuses."""
    accelerate, torch = requirements.pins.get("accelerate"), requirements.pins.get("torch")
    if accelerate is None or torch is None or not requirements.fsdp2_by_accelerate:
        return
    if accelerate.version < _FIXED_IN and torch.version >= _REFUSES_FROM:
        yield Hit(
            requirements.path,
            accelerate.line,
            1,
            "with this torch a model with tied embeddings fails at its first forward under FSDP2",
        )
