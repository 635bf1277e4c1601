"""The table of the laboratory: every fault, the cause that must be named first, and how it is mended."""

from tests.faults.fault import Fault
from tests.faults.surroundings import (
    checkpoints,
    full_disk,
    port_held,
    run_left_behind,
    small_model,
    truncated,
    truncated_model,
    untouched,
    without_metadata,
)


def _train(**recipe: object) -> dict[str, object]:
    once = {"restart": {"max_restarts": 0}}  # a failure is the end at once
    return {
        **once,
        "method": "full",
        "recipe": {"steps": 4, "seq_len": 32, "micro_batch": 1, "export": False, **recipe},
    }


def _args(*args: str) -> dict[str, object]:
    return {"script": {"args": list(args)}}


_LAUNCHERS_STORE = (
    ('    os.environ["MASTER_ADDR"] = "127.0.0.1"\n', ""),
    ('    os.environ["MASTER_PORT"] = sys.argv[1] if len(sys.argv) > 1 else "29500"\n', ""),
    ('    os.environ["TORCHELASTIC_USE_AGENT_STORE"] = "False"\n', ""),
)
HANGS = (
    Fault(
        name="rank_guard",
        cause="rank-conditional-collective",
        made="rank 0 alone gathers the full state dict at step 3",
        mend="all ranks gather, rank 0 writes",
        edits=((" and rank == 0", ""),),
        quick=True,
    ),
    Fault(
        name="uneven_batches",
        cause="uneven-batches-per-rank",
        made="rank 1's loader drops its last batch, rank 0's does not: one batch fewer",
        mend="the same number of batches on all ranks",
        edits=(("drop_last=rank > 0", "drop_last=True"),),
    ),
    Fault(
        name="order_mismatch",
        cause="collective-order-mismatch",
        made="counters are reduced in the order in which each rank met their names",
        mend="reduce them in one order",
        edits=(("in counters.items()", "in sorted(counters.items())"),),
    ),
    Fault(
        name="early_stop",
        cause="rank-divergent-decision",
        made="each rank stops by its own validation loss",
        mend="agree on the loss before the decision",
        edits=(
            (
                '        print(f"rank {rank}: step {step} validation',
                "        dist.all_reduce(local_loss, op=dist.ReduceOp.MAX)\n"
                '        print(f"rank {rank}: step {step} validation',
            ),
        ),
    ),
    Fault(
        name="slow_rank0",
        rank="0",
        cause="rank0-slow-work-before-collective",
        made="rank 0 tokenizes for longer than the group's time-out of 10 s, the others wait at a barrier",
        mend="a time-out that covers the work, which is known to be slow",
        request=_args("60"),
        edits=(("TIMEOUT_S = 10", "TIMEOUT_S = 600"),),
        settings=_args("24"),
    ),
    Fault(
        name="branch_per_rank",
        cause="conditional-branch-per-rank",
        made="a unit is called only by the ranks whose batch holds an image",
        mend="call it on all ranks, with no effect where there is no image",
        edits=(
            (
                "        if has_image.any():\n            hidden = hidden + self.image(inputs)[:, :16]\n",
                "        hidden = hidden + self.image(inputs)[:, :16] * has_image[:, None]\n",
            ),
        ),
    ),
    Fault(
        name="starved_rank",
        rank="1",
        cause="one-rank-waits-for-data",
        made="rank 1's loader waits for a file that never comes; the runner finds that the ranks stand still",
        mend="the file, or a loader that gives up",
        request={"watch": {"boot_s": 120.0, "step_s": 10.0, "factor": 1.0}},
    ),
    Fault(
        name="slow_save",
        rank="0",
        cause="slow-save-exceeds-timeout",
        made="rank 0 writes a checkpoint for longer than the group's time-out of 10 s",
        mend="a time-out that covers the save, which is known to be slow",
        request=_args("30"),
        edits=(("TIMEOUT_S = 10", "TIMEOUT_S = 600"),),
        settings=_args("12"),
    ),
)
DEATHS = (
    Fault(
        name="rank_killed",
        rank="1",
        cause="peer-rank-died-first",
        made="rank 1 gets SIGKILL in the middle of a step",
        mend="what ended it has to be found outside: dmesg, the scheduler's log",
        script="killed_rank",
        request=_args("kill"),
    ),
    Fault(
        name="rank_crashed",
        rank="1",
        cause="peer-rank-died-first",
        made="rank 1 reads address 0, as a faulty extension does (SIGSEGV)",
        mend="the extension that the stack names",
        script="killed_rank",
        request=_args("segv"),
    ),
    Fault(
        name="exception_before_collective",
        rank="1",
        cause="exception-in-user-code",
        made="rank 1 raises over an example before its first collective",
        mend="mend the example, or the parser",
        script="bad_example",
        request=_args("0"),
        edits=(("float(field) for", "float(field.replace('n/a', 'nan')) for"),),
        quick=True,
    ),
    Fault(
        name="exception_during_collective",
        rank="1",
        cause="exception-in-user-code",
        made="rank 1 raises over an example in step 3, the others wait in their collectives",
        mend="mend the example, or the parser",
        script="bad_example",
        request=_args("3"),
        edits=(("float(field) for", "float(field.replace('n/a', '0')) for"),),
    ),
    Fault(
        name="preempted",
        cause="ended-by-signal",
        made="the launcher gets SIGTERM while the job trains",
        mend="resume it",
        simulated="rank 0 sends the signal that a scheduler would send",
    ),
    Fault(
        name="loader_worker_killed",
        rank="1",
        cause="dataloader-worker-died",
        made="a DataLoader worker of rank 1 gets SIGKILL",
        mend="fewer workers, or more host memory",
        script="loader_worker",
        request=_args("killed", "2"),
        settings=_args("killed", "0"),
    ),
    Fault(
        name="shared_memory_full",
        cause="dataloader-shm-bus-error",
        made="a DataLoader worker of rank 1 writes to a mapped page that has no memory behind it (SIGBUS)",
        mend="a larger /dev/shm, or num_workers=0",
        script="loader_worker",
        request=_args("bus", "2"),
        settings=_args("bus", "0"),
        simulated="the page is one of a file that was cut, for a small /dev/shm cannot be mounted without rights",
    ),
)
START = (
    Fault(
        name="port_in_use",
        cause="master-port-in-use",
        made="the script's ranks meet at a fixed port that another process holds",
        mend="take the launcher's address and port",
        edits=_LAUNCHERS_STORE,
        around=port_held,
        quick=True,
    ),
    Fault(
        name="missing_environment",
        cause="env-vars-missing-no-launcher",
        made="the script is started without torchrun",
        mend="start it with torchrun",
        ranks=1,
        request={"script": {"launcher": "direct"}},
        settings={"script": {"launcher": "torchrun"}, "hardware": {"ranks": 2}},
    ),
    Fault(
        name="mesh_too_large",
        cause="wrong-world-size",
        made="a mesh of 2 x 2 on two ranks",
        mend="a mesh of as many ranks as were started",
        request=_args("2"),
        settings=_args("1"),
    ),
    Fault(
        name="sampler_for_one",
        cause="wrong-world-size",
        made="the sampler is built for one replica on two ranks",
        mend="build it for the world size",
        edits=(("num_replicas=GPUS", "num_replicas=dist.get_world_size()"),),
    ),
    Fault(
        name="rank_of_slurm",
        cause="rank-from-wrong-source",
        made="the rank is read from SLURM_PROCID, which torchrun does not set: all are rank 0",
        mend="read RANK",
        edits=(('os.environ.get("SLURM_PROCID", 0)', 'os.environ["RANK"]'),),
    ),
    Fault(
        name="run_left_behind",
        cause="master-port-in-use",
        made="rank 0 of an earlier run was not ended: its store still listens at the port of the script",
        mend="take the launcher's address and port; end what is left",
        script="port_in_use",
        edits=_LAUNCHERS_STORE,
        around=run_left_behind,
    ),
    Fault(
        name="unknown_host",
        cause="hostname-not-resolvable",
        made="MASTER_ADDR is a name that cannot be resolved",
        mend="take the launcher's address and port",
        edits=(
            ('    os.environ["MASTER_ADDR"] = "node-a.invalid"\n', ""),
            ('    os.environ["MASTER_PORT"] = "29500"\n', ""),
            ('    os.environ["TORCHELASTIC_USE_AGENT_STORE"] = "False"\n', ""),
        ),
    ),
    Fault(
        name="group_gone",
        cause="process-group-not-initialized",
        made="a collective after destroy_process_group",
        mend="destroy it last",
        edits=(
            ("    dist.barrier()\n    dist.destroy_process_group()\n", ""),
            (
                '    print("mean loss", total.item())\n',
                '    print("mean loss", total.item())\n    dist.barrier()\n    dist.destroy_process_group()\n',
            ),
        ),
    ),
    Fault(
        name="missing_package",
        cause="package-missing",
        made="the script imports a package that is not installed",
        mend="install it into the training interpreter",
    ),
    Fault(
        name="cuda_on_cpu",
        cause="cuda-not-available",
        made="the script moves the model to a GPU on a machine without one",
        mend="take the device that is there",
        edits=(('torch.device("cuda", int(os.environ["LOCAL_RANK"]))', 'torch.device("cpu")'),),
    ),
    Fault(
        name="nccl_on_cpu",
        cause="cuda-not-available",
        made="NCCL is asked for on a machine without a GPU",
        mend="gloo on CPU",
        edits=(('("nccl")', '("gloo")'),),
    ),
    Fault(
        name="wrong_arguments",
        cause="wrong-arguments",
        made="an option that the script does not have",
        mend="the option's right name",
        request=_args("--lr", "1e-4"),
        settings=_args("--learning-rate", "1e-4"),
    ),
)
LIMITS = (
    Fault(
        name="memory_limit",
        cause="host-memory-limit-reached",
        made="a batch of which the activations are larger than the memory that each process may take",
        mend="a smaller batch",
        request={**_args("400000"), "limits": {"memory_gib": 1.5}},
        settings=_args("64"),
    ),
    Fault(
        name="memory_limit_train",
        cause="host-memory-limit-reached",
        made="a built-in training whose micro-batch is larger than the memory that each process may take",
        mend="a smaller micro-batch",
        request={**_train(micro_batch=16384), "limits": {"memory_gib": 1.5}},
        around=small_model,
        settings={"recipe": {"micro_batch": 1}},
    ),
    Fault(
        name="disk_full",
        cause="disk-full",
        made="what rank 1 writes of a checkpoint goes to /dev/full",
        mend="a folder on a disk with room",
        request=_args("full"),
        around=full_disk,
        settings=_args("empty"),
    ),
    Fault(
        name="file_limit_train",
        cause="disk-full",
        made="a built-in training may write files of 0.2 MB, its checkpoint is larger (RLIMIT_FSIZE)",
        mend="a limit that a checkpoint fits in",
        request={**_train(), "limits": {"file_gib": 0.0002}},
        around=small_model,
        settings={"limits": {"file_gib": 1.0}},
    ),
)
CHECKPOINTS = (
    Fault(
        name="truncated_checkpoint",
        cause="partial-checkpoint",
        made="the newest checkpoint's data file was cut in half",
        mend="take the one before it",
        script="resume",
        request=_args("ckpt/step-100"),
        around=checkpoints(truncated),
        settings=_args("ckpt/step-90"),
    ),
    Fault(
        name="checkpoint_without_metadata",
        cause="partial-checkpoint",
        made="the newest checkpoint has no .metadata, which is written last",
        mend="take the one before it",
        script="resume",
        request=_args("ckpt/step-100"),
        around=checkpoints(without_metadata),
        settings=_args("ckpt/step-90"),
    ),
    Fault(
        name="stale_checkpoint",
        cause="checkpoint-shape-changed",
        made="the checkpoint that is left from an earlier run is of a narrower model",
        mend="the model of the checkpoint",
        script="resume",
        request=_args("ckpt/step-100"),
        around=checkpoints(untouched, width=48),
        edits=(("WIDTH = 64", "WIDTH = 48"),),
    ),
    Fault(
        name="truncated_model",
        cause="corrupt-model-or-tokenizer-file",
        made="a built-in training whose safetensors file was copied in part",
        mend="the whole file",
        request=_train(),
        around=truncated_model,
    ),
    Fault(
        name="full_weights",
        cause="full-weights-into-sharded-model",
        made="load_state_dict of full tensors on a sharded model",
        mend="set_model_state_dict with full_state_dict=True",
        edits=(
            (
                "    model.load_state_dict(weights)\n",
                "    from torch.distributed.checkpoint.state_dict import StateDictOptions, set_model_state_dict\n\n"
                "    set_model_state_dict(model, weights, options=StateDictOptions(full_state_dict=True))\n",
            ),
        ),
    ),
    Fault(
        name="unused_parameters",
        cause="unused-params-no-optimizer-state",
        made="the optimizer's state is asked for of parameters that had none when it was saved",
        mend="a load that leaves out what is not there",
        request=_args("ckpt"),
        edits=(
            (
                'dcp.load({"optimizer": {"state": state}}, checkpoint_id=sys.argv[1])',
                'dcp.load({"optimizer": {"state": state}}, checkpoint_id=sys.argv[1],\n'
                "             planner=dcp.DefaultLoadPlanner(allow_partial_load=True))",
            ),
        ),
    ),
    Fault(
        name="scheduler_resumed",
        cause="scheduler-last-epoch-after-dcp",
        made="a schedule is built with last_epoch=100 for a new optimizer",
        mend="give the groups their initial_lr",
        edits=(
            (
                "    done = 100\n",
                '    done = 100\n    for group in optimizer.param_groups:\n        group["initial_lr"] = group["lr"]\n',
            ),
        ),
    ),
)
WRAPPING = (
    Fault(
        name="optimizer_before_shard",
        cause="optimizer-holds-wrong-params",
        made="the optimizer is built before fully_shard; the script asserts that the loss goes down",
        mend="build the optimizer after fully_shard",
        edits=(
            ("    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)\n", ""),
            ("    inputs = ", "    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)\n    inputs = "),
        ),
    ),
    Fault(
        name="optimizer_state_stale",
        cause="eager-optimizer-state-stale",
        made="Adagrad made its state before fully_shard; it is taken over for the sharded parameters",
        mend="build the optimizer after fully_shard",
        edits=(
            (
                "    optimizer = torch.optim.Adagrad(model.parameters(), lr=1e-2)\n    shard(model, optimizer)\n",
                "    for layer in (model[0], model[2]):\n        fully_shard(layer)\n    fully_shard(model)\n"
                "    optimizer = torch.optim.Adagrad(model.parameters(), lr=1e-2)\n",
            ),
        ),
    ),
    Fault(
        name="mixed_tensor_dtensor",
        cause="mixed-tensor-and-dtensor",
        made="plain copies of the parameters from before they were sharded are subtracted from the sharded ones",
        mend="take the copies after fully_shard",
        edits=(
            ("    reference = [parameter.detach().clone() for parameter in model.parameters()]\n", ""),
            (
                "    optimizer = ",
                "    reference = [parameter.detach().clone() for parameter in model.parameters()]\n    optimizer = ",
            ),
        ),
    ),
    Fault(
        name="other_method",
        cause="non-forward-method-bypasses-hooks",
        made="model.encode() is called, which is not forward",
        mend="register_fsdp_forward_method",
        edits=(
            ("import fully_shard\n", "import fully_shard, register_fsdp_forward_method\n"),
            ("    fully_shard(model)\n", '    fully_shard(model)\n    register_fsdp_forward_method(model, "encode")\n'),
        ),
    ),
    Fault(
        name="weight_outside",
        cause="param-used-outside-its-unit",
        made="functional.linear takes the head's weight without calling the head",
        mend="call the head",
        edits=(
            (
                'torch.nn.functional.linear(hidden, model["head"].weight, model["head"].bias)',
                'model["head"](hidden)',
            ),
        ),
    ),
    Fault(
        name="module_list_unit",
        cause="container-wrapped-no-forward",
        made="fully_shard of a ModuleList, which is never called",
        mend="shard its layers",
        edits=(("    fully_shard(model.layers)\n", "    for layer in model.layers:\n        fully_shard(layer)\n"),),
    ),
    Fault(
        name="deepcopy_sharded",
        cause="deepcopy-fsdp-module",
        made="copy.deepcopy of a sharded model",
        mend="copy it before it is sharded, and shard the copy",
        edits=(
            ("    average = copy.deepcopy(model)\n", ""),
            (
                "    for layer in (model[0], model[2]):\n        fully_shard(layer)\n    fully_shard(model)\n",
                "    average = copy.deepcopy(model)\n    for each in (model, average):\n"
                "        for layer in (each[0], each[2]):\n            fully_shard(layer)\n        fully_shard(each)\n",
            ),
        ),
    ),
    Fault(
        name="tied_weights",
        cause="tied-params-split-units",
        made="the embedding and the head share a weight and are two units",
        mend="one unit of both",
        edits=(
            ("    fully_shard(model.embedding)\n", "    fully_shard([model.embedding, model.head])\n"),
            ("    fully_shard(model.head)\n", ""),
        ),
    ),
    Fault(
        name="old_api",
        cause="fsdp1-api-on-fsdp2",
        made="model.clip_grad_norm_(), a method of FSDP1's wrapper",
        mend="torch.nn.utils.clip_grad_norm_",
        edits=(("model.clip_grad_norm_(1.0)", "torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)"),),
    ),
    Fault(
        name="frozen_unit",
        cause="mixed-requires-grad-flat-param",
        made="FSDP1 with use_orig_params=False: frozen and trainable parameters in one unit",
        mend="use_orig_params=True",
        edits=(("use_orig_params=False", "use_orig_params=True"),),
    ),
)
NUMBERS = (
    Fault(
        name="dtype_mismatch",
        cause="inputs-not-cast-in-container",
        made="parameters are gathered in bf16, the inputs come in an object of the script's own and stay fp32",
        mend="pass the tensor",
        edits=(("model(batch).float()", "model(batch.inputs).float()"), ("hidden = batch.inputs", "hidden = batch")),
    ),
    Fault(
        name="mixed_dtype_unit",
        cause="mixed-dtype-params",
        made="a norm in fp32 among bf16 weights of one unit",
        mend="one dtype in a unit",
        edits=(("    model[1].float()\n", ""),),
    ),
    Fault(
        name="dtype_of_rank0",
        cause="rank-dtype-mismatch-in-broadcast",
        made="rank 0 has bf16 weights, the others fp32, and rank 0's are broadcast",
        mend="one dtype on all ranks",
        edits=(
            ("    if dist.get_rank() == 0:\n        model.to", "    if True:\n        model.to"),
            ("torch.randn(4, 16)", "torch.randn(4, 16, dtype=torch.bfloat16)"),
        ),
    ),
    Fault(
        name="token_out_of_range",
        cause="token-id-out-of-range",
        made="token ids up to 63, an embedding of 60 rows",
        mend="as many rows as tokens",
        edits=(("ROWS = 60", "ROWS = 64"),),
    ),
    Fault(
        name="nan_one_rank",
        cause="nan-from-one-rank",
        made="one field of rank 1's batch is NaN",
        mend="clean the batch",
        edits=(("        loss = (", "        inputs = torch.nan_to_num(inputs)\n        loss = ("),),
    ),
    Fault(
        name="diverged",
        cause="training-diverged",
        made="SGD with a learning rate of 1e4",
        mend="a smaller learning rate",
        request=_args("1e4"),
        settings=_args("1e-3"),
    ),
)
GROUPS = {
    "Ranks that wait for each other": HANGS,
    "Ranks that end": DEATHS,
    "The start": START,
    "Limits of the machine": LIMITS,
    "Checkpoints and weights": CHECKPOINTS,
    "Wrapping and optimizers": WRAPPING,
    "Types and numbers": NUMBERS,
}
"""The faults by what they are about."""
FAULTS = tuple(fault for faults in GROUPS.values() for fault in faults)
"""Every fault of the laboratory."""
