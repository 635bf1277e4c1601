"""The user's own script as a job: its command line, what of it is approved by content, its environment."""

import os
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from contracts.errors import FileUnreadable, RequestInvalid
from contracts.launch import InputDigest
from contracts.request import Language, UserScript
from runners.importable import importable_entries, shadowing_files
from runners.inputs import digest
from runners.launching import torchrun_arguments
from runners.script_imports import imported_files, module_file
from runners.texts import say

HEARTBEAT = "fsdp_heartbeat.py"
"""Module that a script may import for a sign of life."""
FIRST_STEP = "fsdp_first_step.py"
"""Program that runs a script and looks at its first optimizer step."""
_ARGUMENT_FILE_BYTES = 64 << 20
"""A larger file that an argument names is data: its bytes are covered only where `inputs` lists it."""


class ScriptJob(NamedTuple):
    """What a user's script amounts to."""

    argv: list[str]
    """Arguments after the interpreter."""
    workdir: Path
    """Working folder."""
    inputs: list[InputDigest]
    """Files whose content is approved."""
    warnings: list[str]
    """What the approval does not cover."""


def script_job(script: UserScript, ranks: int, nodes: int | None = None, language: Language | None = None) -> ScriptJob:
    """Return the job of a user's script.

    Args:
        script: What was asked for; its paths are absolute.
        ranks: Processes on this machine, or on each node.
        nodes: Nodes of a cluster; None: this machine.
        language: Language of the warnings; English where None.

    Raises:
        FileUnreadable: The script, its working folder or a file of `inputs` cannot be read.
        RequestInvalid: A script that starts its ranks itself is given several.
    """
    file, workdir = _place(script)
    inputs = [] if file is None else [digest("script", file)]
    warnings = []
    if file is None:
        name = script.module
        warnings.append(say("module_not_covered", language, name=name, folder=workdir))
    else:
        roots = list(dict.fromkeys([file.parent, workdir]))
        imported = [*imported_files(file, roots), *(path for root in roots for path in shadowing_files(root))]
        inputs += [digest("script", path) for path in dict.fromkeys(imported) if path != file]
        warnings.append(say("script_covered", language))
    inputs += [digest("data", Path(name).absolute()) for name in script.inputs]
    named, large = _named_files([*script.launcher_args, *script.args], workdir)
    known = {entry.path for entry in inputs}
    inputs += [digest("config", path) for path in named if str(path) not in known]
    warnings += [say("large_file", language, path=path) for path in large]
    return ScriptJob(_command(script, file, ranks, nodes), workdir, inputs, warnings)


def importable_beside(script: UserScript, inputs: Iterable[InputDigest]) -> dict[str, tuple[str, ...]]:
    """Return what can be imported from the folders that a script's imports search first, by folder.

    Args:
        script: What was asked for; its paths are absolute.
        inputs: What of it is approved by content: the packages among it are such folders, too.

    Raises:
        FileUnreadable: One of the folders cannot be read.
    """
    file, workdir = _place(script)
    folders = {str(workdir), *(str(Path(entry.path).parent) for entry in inputs if entry.role == "script")}
    folders |= {str(file.parent)} if file is not None else set()
    try:
        return {folder: tuple(importable_entries(folder)) for folder in sorted(folders)}
    except OSError as error:
        raise FileUnreadable(f"cannot look into a folder of the script: {error}") from None


def script_environment(constants: dict[str, str], folder: Path, original: UserScript | None = None) -> dict[str, str]:
    """Return the variables of a script's job: those of every job, its own modules first, then ours.

    Args:
        constants: What every job gets, approved values of the user's environment included.
        folder: Where the heartbeat module is; nothing else may lie there.
        original: The user's script where a mended copy of it runs: what lies beside it can be imported still.
    """
    # a script of one's own may want to reach the hub
    kept = {name: value for name, value in constants.items() if name != "HF_HUB_OFFLINE"}
    beside = str(Path(original.path).absolute().parent) if original is not None and original.path else None
    return kept | {"PYTHONPATH": os.pathsep.join(filter(None, (kept.get("PYTHONPATH"), str(folder), beside)))}


def _place(script: UserScript) -> tuple[Path | None, Path]:
    """Return the file that runs, where it can be told, and the working folder."""
    workdir = Path(script.workdir).absolute() if script.workdir else None
    if workdir is not None and not workdir.is_dir():
        raise FileUnreadable(f"script.workdir is no folder: {workdir}")
    if script.path is not None:
        file = Path(script.path).absolute()
        return file, workdir or file.parent
    assert script.module is not None, "the contract asks for a path or a module"
    if workdir is None:
        raise RequestInvalid("script.module needs script.workdir, the folder from which it is run")
    return module_file(script.module, workdir), workdir


def _command(script: UserScript, file: Path | None, ranks: int, nodes: int | None) -> list[str]:
    what = ["-m", str(script.module)] if script.module is not None else [str(file)]
    if script.first_step_check:
        what = [f"{{bundle}}/{FIRST_STEP}", *what]
    if script.launcher == "direct":
        return [*script.launcher_args, *what, *script.args]
    if script.launcher == "torchrun":
        module, *options = torchrun_arguments(ranks, nodes)
        return [module, options[0], *script.launcher_args, *options[1:], *what, *script.args]
    # what stands last counts: the ranks are those that were approved, and no fixed port is shared by two jobs
    if nodes is None:
        options = [f"--num_processes={ranks}", "--num_machines=1", "--main_process_port=0"]
        options += ["--tee=3", "--log_dir={attempt_dir}/log"]
    else:
        options = [f"--num_processes={ranks * nodes}", f"--num_machines={nodes}", "--machine_rank={node_rank}"]
        options += ["--main_process_ip={first_node}", "--main_process_port={port}", "--rdzv_backend=static"]
        options += ["--tee=3", "--log_dir={attempt_dir}/log/node-{node_rank}"]
    return ["-m", "accelerate.commands.launch", *script.launcher_args, *options, *what, *script.args]


def _named_files(arguments: list[str], workdir: Path) -> tuple[list[Path], list[Path]]:
    """Return the files that arguments name, as they stand or after `=`: those of a bearable size, and larger ones."""
    small: dict[Path, None] = {}
    large: dict[Path, None] = {}
    for argument in arguments:
        for text in dict.fromkeys((argument, argument.partition("=")[2])):
            path = (workdir / text).absolute() if text and "\0" not in text else workdir
            try:
                if path.is_file():
                    (small if path.stat().st_size <= _ARGUMENT_FILE_BYTES else large)[path] = None
            except OSError:
                continue  # a name that is too long for a file is none
    return list(small), list(large)
