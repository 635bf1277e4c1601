"""The outlook of a plan for several machines, as text for a person."""

from contracts.request import Language
from contracts.scale import Scale
from interfaces.cli.output import Output
from interfaces.cli.tables import plain_table
from interfaces.cli.words import word

_MESHES = ("mesh", "replicas_ranks", "reserved_gib", "it_fits", "speed_per_gpu", "network_gb", "taken")
_CURVE = ("machines", "gpus", "mesh", "batch_tokens", "tokens_s", "with_failures", "efficiency", "it_fits")


def show_scale(out: Output, scale: Scale, language: Language = "en") -> None:
    """Print meshes, expected scaling, checkpoints and the cost with failures."""
    _meshes(out, scale, language)
    _curve(out, scale, language)
    saving = scale.checkpointing
    by_hand = scale.arithmetic
    if saving is not None:
        shares = {"useful": saving.useful_pct, "saves": saving.saving_pct, "lost": saving.lost_pct}
        sizes = {"gb": saving.size_gb, "write": saving.write_s, "hours": saving.hours_between_failures}
        interval = {"interval": saving.interval_s / 60, "steps": saving.interval_steps}
        out.progress(word("saving", language, **interval, **sizes, **shares))
        said = (("by_hand", saving.arithmetic), ("assumed", saving.assumptions), ("source", saving.sources))
        for name, lines in said:
            for line in lines:
                out.progress(f"{word(name, language)}: {line}")
    for line in by_hand:
        out.progress(f"{word('by_hand', language)}: {line}")


def _meshes(out: Output, scale: Scale, language: Language) -> None:
    from rich.text import Text

    table = plain_table(*(word(name, language) for name in _MESHES))
    for mesh in scale.meshes:
        table.add_row(
            Text(mesh.kind),
            Text(f"{mesh.dp_replicate} x {mesh.shard_ranks}"),
            Text(_number(mesh.reserved_gib, language, 2)),
            Text(_yes(mesh.fits, language)),
            Text(_number(mesh.tokens_per_s_per_gpu, language)),
            Text(_number(mesh.network_gb_per_step, language, 1)),
            Text(_yes(True, language) if mesh.chosen else ""),
        )
    out.table(table)


def _curve(out: Output, scale: Scale, language: Language) -> None:
    from rich.text import Text

    table = plain_table(*(word(name, language) for name in _CURVE))
    for point in scale.curve:
        table.add_row(
            Text(str(point.nodes)),
            Text(_number(point.gpus, language)),
            Text(point.mesh),
            Text(_number(point.global_batch_tokens, language)),
            Text(_number(point.tokens_per_s, language)),
            Text(_number(point.useful_tokens_per_s, language)),
            Text(f"{_number(point.efficiency_pct, language)} %"),
            Text(_yes(point.fits, language)),
        )
    out.table(table)
    out.progress(scale.says)


def _number(value: float, language: Language, digits: int = 0) -> str:
    return word("number", language, n=value, digits=digits)


def _yes(value: bool | None, language: Language) -> str:
    return "?" if value is None else word("yes" if value else "no", language)
