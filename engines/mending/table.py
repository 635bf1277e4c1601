"""Which cures a cause has, in the order in which they are tried. A cause that is not here is a person's."""

from engines.mending import recipes
from engines.mending.code import (
    after_sharding,
    batches,
    decisions,
    out_of_guard,
    precision,
    rendezvous,
    sizes,
    states,
    units,
    waiting,
)
from engines.mending.situation import Cure

_MEMORY: tuple[Cure, ...] = (
    recipes.smaller_micro_batch,
    recipes.reshard_after_forward,
    recipes.recompute_activations,
    recipes.offload,
    sizes.smaller_batch,
)
_HOST_MEMORY: tuple[Cure, ...] = (
    recipes.saving_in_place,
    recipes.smaller_micro_batch,
    recipes.recompute_activations,
    sizes.smaller_batch,
)
_NUMBERS: tuple[Cure, ...] = (recipes.lower_rate, states.gentler_steps)
_MEETING: tuple[Cure, ...] = (rendezvous.launchers_rendezvous, rendezvous.launchers_ranks)

CURES: dict[str, tuple[Cure, ...]] = {
    # memory
    "memory-exceeds-gpu": _MEMORY,
    "logits-fp32-spike": _MEMORY,
    "peer-oom-then-nccl-timeout": _MEMORY,
    "nccl-buffers-outside-allocator": _MEMORY,
    "foreach-optimizer-peak": _MEMORY,
    "allocator-fragmentation": (recipes.growing_segments, *_MEMORY),
    "host-memory-limit-reached": _HOST_MEMORY,
    "host-ram-pinned-cache": _HOST_MEMORY,
    # numbers
    "training-diverged": _NUMBERS,
    # where ranks meet, and how many they are
    "master-port-in-use": _MEETING,
    "hostname-not-resolvable": _MEETING,
    "stale-rendezvous": _MEETING,
    "cuda-not-available": (rendezvous.gloo_on_cpu, rendezvous.cpu_in_place_of_gpu),
    "process-group-not-initialized": (decisions.group_to_the_end,),
    "rank-from-wrong-source": (rendezvous.launchers_ranks, rendezvous.launchers_rendezvous),
    "env-vars-missing-no-launcher": (recipes.started_by_torchrun,),
    "wrong-world-size": (batches.sampler_for_all,),
    # collectives
    "rank-conditional-collective": (out_of_guard.collective_out_of_guard,),
    "rank-divergent-decision": (decisions.decide_together,),
    "collective-order-mismatch": (decisions.one_order, out_of_guard.collective_out_of_guard),
    "uneven-batches-per-rank": (batches.fewest_batches,),
    "rank-dtype-mismatch-in-broadcast": (out_of_guard.one_dtype_on_all,),
    "rank0-slow-work-before-collective": (waiting.longer_time_out,),
    "slow-save-exceeds-timeout": (waiting.longer_time_out,),
    # parameters and units
    "optimizer-holds-wrong-params": (after_sharding.optimizer_after_sharding,),
    "eager-optimizer-state-stale": (after_sharding.optimizer_after_sharding,),
    "mixed-tensor-and-dtensor": (after_sharding.optimizer_after_sharding,),
    "inputs-not-cast-in-container": (precision.cast_inputs, precision.cast_hidden_inputs),
    "mixed-dtype-params": (precision.one_dtype,),
    "mixed-requires-grad-flat-param": (units.whole_flat_parameter,),
    "container-wrapped-no-forward": (units.layers_as_units,),
    "tied-params-split-units": (units.tied_in_one_unit,),
    "non-forward-method-bypasses-hooks": (units.registered_method,),
    "param-used-outside-its-unit": (units.call_the_module, units.registered_method),
    "deepcopy-fsdp-module": (units.copy_before_sharding,),
    "fsdp1-api-on-fsdp2": (states.clip_by_torch,),
    # states
    "full-weights-into-sharded-model": (states.full_state_into_shards,),
    "unused-params-no-optimizer-state": (states.partial_load,),
    "scheduler-last-epoch-after-dcp": (states.first_rate_known,),
    "partial-checkpoint": (sizes.earlier_checkpoint,),
    # data and disk
    "dataloader-shm-bus-error": (batches.no_workers,),
    "dataloader-worker-died": (batches.no_workers,),
    "disk-full": (recipes.room_for_files, recipes.fewer_checkpoints),
}
