"""TT310: torchtitan's degrees of parallelism do not multiply to the world size.

Said where every degree is written and the sub-dimensions alone exceed, or a launch script of
the review starts another number of ranks.
"""

from collections.abc import Iterator

from engines.review.configuration import Document
from engines.review.rule import Hit, Rule

RULE = Rule(
    id="TT310",
    slug="torchtitan-degrees",
    severity="error",
    fix="data_parallel_shard_degree = -1",
    reads="config",
)

_DEGREES = {
    "data_parallel_replicate_degree": 1,
    "data_parallel_shard_degree": -1,
    "context_parallel_degree": 1,
    "tensor_parallel_degree": 1,
    "pipeline_parallel_degree": 1,
}
"""Names with torchtitan's defaults."""


def check(document: Document) -> Iterator[Hit]:
    """Yield degrees that are impossible, or that another number of ranks is started for."""
    if document.kind != "torchtitan":
        return
    entries = {name: document.get(f"parallelism.{name}") for name in _DEGREES}
    values = {name: entry.value if entry is not None else _DEGREES[name] for name, entry in entries.items()}
    if not all(isinstance(value, int) for value in values.values()):
        return
    place = next((entry for entry in entries.values() if entry is not None), None)
    if place is None:
        return
    product = 1
    for value in values.values():
        product *= value if value > 0 else 1
    bad = [name for name, value in values.items() if value == 0 or value < -1 or (value == -1 and "shard" not in name)]
    if bad:
        entry = entries[bad[0]] or place
        yield Hit(
            document.file, entry.line, entry.column, f"{bad[0]} = {values[bad[0]]}: only the shard degree may be -1"
        )
    elif values["data_parallel_shard_degree"] > 0 and document.world_size not in (None, product):
        yield Hit(
            document.file,
            place.line,
            place.column,
            f"the degrees multiply to {product}, but {document.world_size} ranks are started",
        )
    elif (
        values["data_parallel_shard_degree"] == -1 and document.world_size is not None and document.world_size % product
    ):
        yield Hit(
            document.file,
            place.line,
            place.column,
            f"the degrees multiply to {product}, which does not divide the {document.world_size} ranks started",
        )
