"""The outlook of a plan for several machines, as text for a person."""

from contracts.scale import Scale
from interfaces.cli.output import Output
from interfaces.cli.tables import plain_table


def show_scale(out: Output, scale: Scale) -> None:
    """Print meshes, expected scaling, checkpoints and the cost with failures."""
    _meshes(out, scale)
    _curve(out, scale)
    saving = scale.checkpointing
    if saving is not None:
        out.progress(
            f"checkpoint: every {saving.interval_s / 60:,.0f} minutes ({saving.interval_steps:,} steps), "
            f"{saving.size_gb:,.0f} GB in {saving.write_s:,.0f} s; a failure every "
            f"{saving.hours_between_failures:,.1f} hours; {saving.useful_pct:.1f} % of the time makes progress, "
            f"{saving.saving_pct:.1f} % saves, {saving.lost_pct:.1f} % is lost"
        )
        for line in saving.arithmetic:
            out.progress(f"by hand: {line}")
        for line in saving.assumptions:
            out.progress(f"assumed: {line}")
        for line in saving.sources:
            out.progress(f"source: {line}")
    for line in scale.arithmetic:
        out.progress(f"by hand: {line}")


def _meshes(out: Output, scale: Scale) -> None:
    from rich.text import Text

    table = plain_table(
        "mesh", "replicas x ranks", "reserved (GiB)", "fits", "tokens/s per GPU", "network (GB)", "taken"
    )
    for mesh in scale.meshes:
        table.add_row(
            Text(mesh.kind),
            Text(f"{mesh.dp_replicate} x {mesh.shard_ranks}"),
            Text(f"{mesh.reserved_gib:,.2f}"),
            Text(_yes(mesh.fits)),
            Text(f"{mesh.tokens_per_s_per_gpu:,.0f}"),
            Text(f"{mesh.network_gb_per_step:,.1f}"),
            Text("yes" if mesh.chosen else ""),
        )
    out.table(table)


def _curve(out: Output, scale: Scale) -> None:
    from rich.text import Text

    table = plain_table("machines", "GPUs", "mesh", "batch (tokens)", "tokens/s", "with failures", "efficiency", "fits")
    for point in scale.curve:
        table.add_row(
            Text(str(point.nodes)),
            Text(f"{point.gpus:,}"),
            Text(point.mesh),
            Text(f"{point.global_batch_tokens:,}"),
            Text(f"{point.tokens_per_s:,.0f}"),
            Text(f"{point.useful_tokens_per_s:,.0f}"),
            Text(f"{point.efficiency_pct:.0f} %"),
            Text(_yes(point.fits)),
        )
    out.table(table)
    out.progress(scale.says)


def _yes(value: bool | None) -> str:
    return "?" if value is None else "yes" if value else "no"
