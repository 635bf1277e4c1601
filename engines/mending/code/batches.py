"""Ranks with different numbers of batches, and loaders whose workers die."""

import ast

from contracts.wording import told
from engines.mending.code.distributed import group_name
from engines.mending.code.source import Change, Source, changed, last_name
from engines.mending.phrases import COSTS, WHY
from engines.mending.situation import Mend, Situation


def fewest_batches(situation: Situation) -> Mend | None:
    """Let every rank stop after as many batches as the rank with the fewest has."""
    texts = changed(situation, _patch)
    if not texts:
        return None
    why = told(WHY, "batches_differ", situation.language)
    return Mend("script", why, texts=texts, costs=told(COSTS, "left_out", situation.language))


def _patch(source: Source) -> str | None:
    change = Change(source)
    loaders = _loaders(source)
    number = 0
    for node in source.find(ast.For):
        assert isinstance(node, ast.For)
        walked, trains = (
            node.iter,
            any(isinstance(c, ast.Call) and last_name(c.func) == "backward" for c in ast.walk(node)),
        )
        if isinstance(walked, ast.Call) and last_name(walked.func) in ("enumerate", "tqdm") and walked.args:
            walked = walked.args[0]
        if not trains or not isinstance(walked, ast.Name | ast.Attribute) or source.of(walked) not in loaders:
            continue
        dist = group_name(source, change)
        loader, fewest = source.of(walked), "fewest_batches" + (f"_{number}" if number else "")
        number += 1
        change.need("import itertools")
        device = "cuda" if on_gpus(source) else "cpu"
        change.before(
            node,
            f'{fewest} = torch.tensor(len({loader}), device="{device}")',
            f"{dist}.all_reduce({fewest}, op={dist}.ReduceOp.MIN)",
        )
        change.replace(walked, f"itertools.islice({loader}, int({fewest}.item()))")
    return change.done() if number else None


def on_gpus(source: Source) -> bool:
    """Tell whether a script's collectives take GPU tensors: it starts NCCL."""
    return any("nccl" in source.of(call) for call in source.calls("init_process_group"))


def _loaders(source: Source) -> set[str]:
    """Return the expressions that a DataLoader was assigned to, or that a parameter of this name holds."""
    made = {
        source.of(target)
        for node in source.find(ast.Assign)
        if isinstance(node, ast.Assign)
        and any(isinstance(c, ast.Call) and last_name(c.func) == "DataLoader" for c in ast.walk(node.value))
        for target in node.targets
    }
    parameters = {
        argument.arg
        for node in source.find(ast.FunctionDef)
        if isinstance(node, ast.FunctionDef)
        for argument in node.args.args
        if "loader" in argument.arg
    }
    return made | (parameters if source.calls("DataLoader") else set())


def no_workers(situation: Situation) -> Mend | None:
    """Load the data in the rank itself."""
    texts = changed(situation, _patch_workers)
    if not texts:
        return None
    why = told(WHY, "worker_ended", situation.language)
    return Mend("script", why, texts=texts, costs=told(COSTS, "no_overlap", situation.language))


def _patch_workers(source: Source) -> str | None:
    change = Change(source)
    for call in source.calls("DataLoader"):
        given = {keyword.arg: keyword for keyword in call.keywords}
        workers = given.get("num_workers")
        if workers is None or (isinstance(workers.value, ast.Constant) and workers.value.value == 0):
            continue
        change.replace(workers.value, "0")
        for name in ("prefetch_factor", "persistent_workers", "multiprocessing_context"):
            if name in given:  # refused without workers
                change.drop_argument(call, given[name])
    return change.done()


def sampler_for_all(situation: Situation) -> Mend | None:
    """Tell the sampler, or the mesh, how many ranks there are."""
    texts = changed(situation, lambda source: _patch_world(source, situation.ranks))
    if not texts:
        return None
    why = f"a sampler or mesh was made for another number of ranks than {situation.ranks}: it asks how many there are"
    return Mend("script", why, texts=texts)


def _patch_world(source: Source, ranks: int) -> str | None:
    change = Change(source)
    for call in source.calls("DistributedSampler"):
        for keyword in call.keywords:
            if keyword.arg == "num_replicas" and "get_world_size" not in source.of(keyword.value):
                change.replace(keyword.value, f"{group_name(source, change)}.get_world_size()")
    for call in source.calls("init_device_mesh", "DeviceMesh"):
        shape = call.args[1] if len(call.args) > 1 and last_name(call.func) == "init_device_mesh" else None
        if not isinstance(shape, ast.Tuple) or "get_world_size" in source.of(shape):
            continue
        fixed = 1
        for size in shape.elts[:-1]:
            if not isinstance(size, ast.Constant) or not isinstance(size.value, int):
                return None
            fixed *= size.value
        if ranks % fixed:
            return None
        world = f"{group_name(source, change)}.get_world_size()"
        change.replace(shape.elts[-1], world if fixed == 1 else f"{world} // {fixed}")
    return change.done()
