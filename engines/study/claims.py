"""Claims to look up: which cards speak of what a question weighs."""

from collections.abc import Iterator

from packaging.version import Version

from contracts.answer import Citation
from contracts.request import Language
from contracts.study import Part
from engines.study.outline import Outline
from engines.study.texts import text
from knowledge.card import Card
from knowledge.cards import cards

CARDS: dict[str, tuple[str, ...]] = {
    "hsdp": ("hsdp-or-full-sharding",),
    "no_reshard": ("no-reshard-everywhere",),
    "ddp": ("ddp-or-fsdp",),
    "ac_full": ("activation-checkpointing",),
    "ac_selective": ("selective-activation-checkpointing",),
    "cpu_offload": ("cpu-offload",),
    "optimizer_on_cpu": ("cpu-offload",),
    "adamw_8bit": ("low-bit-optimizer-dtensor",),
    "bf16_master": ("low-precision-master-weights",),
    "float8": ("fp8-all-gather",),
    "reduce_bf16": ("implicit-low-precision-reduce",),
    "compiled": ("compile-order",),
    "lora": ("lora-or-full-sharding",),
    "qlora": ("lora-or-full-sharding",),
    "tp": ("tensor-parallel-or-fsdp",),
    "cp": ("context-parallel-and-fsdp",),
    "pp": ("pipeline-parallel-or-fsdp",),
    "optimizer": ("optimizer-bytes",),
    "seq_len": ("context-parallel-and-fsdp", "logits-fp32-spike"),
    "gpus": ("how-many-gpus",),
    "network": ("communication-volume",),
    "micro_batch": ("global-batch-size-fsdp",),
}
"""Cards by value, else by axis."""

STATES = "model-state-bytes"
"""What every prediction of memory rests on."""

MOST_CLAIMS = 6
"""Cards that are quoted at most."""


def claims_of(outline: Outline, language: Language, torch: str | None = None) -> tuple[list[Part], list[Citation]]:
    """Return what the cards say of what is weighed, and their citations.

    Args:
        outline: The question taken apart.
        language: Language of the texts; a card's claim stays English.
        torch: Version of torch that is meant; cards that do not hold in it are left out.
    """
    parts: list[Part] = []
    cited: list[Citation] = []
    for card in _cards(outline, torch):
        source = card.sources[0].url
        parts.append(
            Part(
                id=f"c{len(parts) + 1}",
                kind="claim",
                asks=text("asks_claim", language, title=card.title),
                status="answered",
                result=card.claim,
                source=card.slug,
            )
        )
        cited.append(Citation(card=card.slug, claim=card.claim, source=source, evidence=card.evidence))
    return parts, cited


def _cards(outline: Outline, torch: str | None) -> list[Card]:
    known = cards()
    found: dict[str, Card] = {}
    for slug in (*_slugs(outline), STATES):
        card = known.get(slug)
        if card is not None and (torch is None or card.holds_in(Version(torch).base_version)):
            found.setdefault(slug, card)
    return list(found.values())[:MOST_CLAIMS]


def _slugs(outline: Outline) -> Iterator[str]:
    choices = [choice for variant in (*outline.options, *outline.conditions) for choice in variant.choices]
    for choice in choices:
        value = str(choice.value)
        name = "hsdp" if value.startswith("hsdp") else value.rstrip("0123456789") if choice.axis in "tpcppp" else value
        yield from CARDS.get(name, CARDS.get(choice.axis, ()))
