"""Ranks that meet at a place of their own, not the launcher's: the port is taken, the host unknown, a file old."""

import ast

from contracts.wording import told
from engines.mending.code.source import Change, Source, changed, last_name
from engines.mending.phrases import WHY
from engines.mending.situation import Mend, Situation

_SET = ("MASTER_ADDR", "MASTER_PORT", "TORCHELASTIC_USE_AGENT_STORE")
_SLURM = {"SLURM_PROCID": "RANK", "SLURM_LOCALID": "LOCAL_RANK", "SLURM_NTASKS": "WORLD_SIZE"}


def launchers_rendezvous(situation: Situation) -> Mend | None:
    """Take the address, the port and the store of torchrun, which chooses a free port at each start."""
    script = situation.request.script
    if script is None or script.launcher != "torchrun":
        return None
    texts = changed(situation, _patch)
    if not texts:
        return None
    why = told(WHY, "meeting_place", situation.language)
    return Mend("script", why, texts=texts)


def _patch(source: Source) -> str | None:
    change = Change(source)
    for node in source.find(ast.Assign):
        assert isinstance(node, ast.Assign)
        if len(node.targets) == 1 and _variable(node.targets[0]) in _SET:
            change.drop(node)
    for call in source.calls("setdefault"):
        statement = source.statement(call)
        key = call.args[0] if call.args else None
        if isinstance(statement, ast.Expr) and isinstance(key, ast.Constant) and key.value in _SET:
            change.drop(statement)
    for call in source.calls("init_process_group"):
        for keyword in call.keywords:
            if keyword.arg == "init_method" and "env://" not in source.of(keyword.value):
                change.drop_argument(call, keyword)
    return change.done()


def _variable(target: ast.expr) -> str:
    """Return the name of the environment variable that an assignment sets; empty where it sets none."""
    if isinstance(target, ast.Subscript) and last_name(target.value) == "environ":
        key = target.slice
        return key.value if isinstance(key, ast.Constant) and isinstance(key.value, str) else ""
    return ""


def launchers_ranks(situation: Situation) -> Mend | None:
    """Read the rank from torchrun's variables where the script asks Slurm for it."""
    script = situation.request.script
    if script is None or script.launcher == "direct":
        return None
    texts = changed(situation, _patch_ranks)
    if not texts:
        return None
    why = told(WHY, "asks_slurm", situation.language)
    return Mend("script", why, texts=texts)


def _patch_ranks(source: Source) -> str | None:
    change = Change(source)
    for node in source.find(ast.Constant):
        if isinstance(node, ast.Constant) and node.value in _SLURM:
            change.replace(node, f'"{_SLURM[str(node.value)]}"')
    return change.done()


def gloo_on_cpu(situation: Situation) -> Mend | None:
    """Use gloo where the ranks run on CPUs."""
    if situation.request.hardware.device != "cpu":
        return None
    texts = changed(situation, _patch_backend)
    why = told(WHY, "gloo", situation.language)
    return Mend("script", why, texts=texts) if texts else None


def cpu_in_place_of_gpu(situation: Situation) -> Mend | None:
    """Name the CPU as the device where the ranks run on CPUs."""
    if situation.request.hardware.device != "cpu":
        return None
    texts = changed(situation, _patch_device)
    why = told(WHY, "names_cpu", situation.language)
    return Mend("script", why, texts=texts) if texts else None


def _patch_device(source: Source) -> str | None:
    change = Change(source)
    for call in source.calls("device"):
        first = call.args[0] if call.args else None
        if isinstance(first, ast.Constant) and str(first.value).startswith("cuda"):
            change.replace(call, f'{source.of(call.func)}("cpu")')
    for call in source.calls("set_device"):
        statement = source.statement(call)
        if isinstance(statement, ast.Expr) and "cuda" in source.of(call.func):
            change.drop(statement)
    return change.done()


def _patch_backend(source: Source) -> str | None:
    change = Change(source)
    for call in source.calls("init_process_group"):
        backend = [*call.args[:1], *(keyword.value for keyword in call.keywords if keyword.arg == "backend")]
        if backend and isinstance(backend[0], ast.Constant) and backend[0].value == "nccl":
            change.replace(backend[0], '"gloo"')
    return change.done()
