"""The one door to the runners, opened lazily.

The supervisor imports this package with the standard library alone, so nothing is
imported here before it is asked for.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from runners.backends import Backends as Backends
    from runners.bundle import PreparedLaunch as PreparedLaunch
    from runners.bundle import prepare_launch as prepare_launch
    from runners.checkpoints import earlier_whole as earlier_whole
    from runners.devices import usable_cores as usable_cores
    from runners.devices import visible_gpus as visible_gpus
    from runners.dryrunning import prepare_dryrun as prepare_dryrun
    from runners.exporting import prepare_export as prepare_export
    from runners.home import Home as Home
    from runners.local import LocalRunner as LocalRunner
    from runners.looking import look_at as look_at
    from runners.mended import Mended as Mended
    from runners.mended import script_texts as script_texts
    from runners.preflight import prepare_preflight as prepare_preflight
    from runners.probe_job import prepare_probe as prepare_probe
    from runners.probing import ProbeHost as ProbeHost
    from runners.protocol import Runner as Runner
    from runners.slurm import SlurmRunner as SlurmRunner
    from runners.supervisor.calling import hint_signature as hint_signature
    from runners.trials import prepare_trials as prepare_trials
    from runners.trials import read_trials as read_trials
    from runners.verify import changed_content as changed_content
    from runners.verify import verify_launch as verify_launch

_PLACES = {
    "Backends": "runners.backends",
    "Home": "runners.home",
    "LocalRunner": "runners.local",
    "Mended": "runners.mended",
    "PreparedLaunch": "runners.bundle",
    "ProbeHost": "runners.probing",
    "Runner": "runners.protocol",
    "SlurmRunner": "runners.slurm",
    "changed_content": "runners.verify",
    "earlier_whole": "runners.checkpoints",
    "hint_signature": "runners.supervisor.calling",
    "look_at": "runners.looking",
    "prepare_dryrun": "runners.dryrunning",
    "prepare_export": "runners.exporting",
    "prepare_launch": "runners.bundle",
    "prepare_preflight": "runners.preflight",
    "prepare_probe": "runners.probe_job",
    "prepare_trials": "runners.trials",
    "read_trials": "runners.trials",
    "script_texts": "runners.mended",
    "usable_cores": "runners.devices",
    "verify_launch": "runners.verify",
    "visible_gpus": "runners.devices",
}


def __getattr__(name: str) -> Any:
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_PLACES[name]), name)
