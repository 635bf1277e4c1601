"""What the known training frameworks do where a run's record does not say.

Defaults by framework and, where they changed, by date (ISO, compared as text). Each was
read in the framework's history at the commit named; each that is used is named in the
estimate's assumptions.
"""

from dataclasses import dataclass
from typing import Any

Json = dict[str, Any]

ROOT_RESHARD_HONOURED = "2025-06-03"
"""Before pytorch PR 154704 the root group stayed gathered after forward, whatever was asked."""

RS_INPUT_DEFAULT_STREAM = "2024-06-27"
"""Before pytorch PR 129721 the reduce-scatter input came from the reduce-scatter stream."""


@dataclass(frozen=True)
class Run:
    """What the defaults depend on."""

    framework: str
    """As the record names it."""
    date: str
    """ISO date, perhaps without its day."""
    compiled: bool = False
    """Blocks are compiled."""
    gpu_type: str = ""
    """As the record names it."""
    pp: int = 1
    """Pipeline-parallel degree."""


def defaults_of(run: Run) -> tuple[Json, dict[str, str]]:
    """Return the settings that a framework had at a date, and a line for each that says so."""
    words = run.framework.lower()
    version = {"fsdp": 1 if "fsdp1" in words else 2, "reduce_input_default_stream": run.date >= RS_INPUT_DEFAULT_STREAM}
    if "torchtitan" in words or "torchtrain" in words:
        settings = _torchtitan(run)
    elif "torchtune" in words:
        settings = _torchtune()
    elif "litgpt" in words or "lit-gpt" in words:
        settings = _litgpt()
    elif "atorch" in words:
        # dlrover 3a442b728, atorch/examples/llama2: the blocks are checkpointed from outside, so that
        # transformers returns its cache of keys and values, and the result lives through the step.
        settings = _transformers(run) | {"kv_kept": True}
    else:
        settings = _transformers(run)
    where = f"default of {run.framework or 'a transformers loop'} at {run.date or 'an unknown date'}"
    said = {name: f"{name} {value} ({where})" for name, value in settings.items()}
    return version | settings, said


def _torchtitan(run: Run) -> Json:
    date = run.date
    # e10cb9494 moved the cast to the loss; the compiled loss was switched off by e8977b007
    # and came back with bbb1b616e.
    loss = "fp32_copy" if date >= "2024-10-22" else "fp32_in_model"
    if run.compiled and ("2024-10-22" <= date < "2024-12-18" or date >= "2025-04-02"):
        loss = "compiled"
    blackwell = "b200" in run.gpu_type.lower() or "gb200" in run.gpu_type.lower()
    nvidia = not run.gpu_type.lower().startswith("mi")
    # 3b85aa31f: cuDNN attention on Blackwell; 6a3a9da95: first choice everywhere;
    # b39377f9f: the selective policy learned its name.
    cudnn = (blackwell and date >= "2025-05-14") or (nvidia and date >= "2025-10-09")
    settings: Json = {
        "model_code": "torchtitan",
        "reshard_last": False,
        "root_reshard": date >= ROOT_RESHARD_HONOURED,
        "loss_impl": loss,
        "logits_kept": date < "2024-06-12",  # e29b6b4d4
        "expandable_segments": date >= "2024-10-22",  # a5e57e4a9
        "norm_kernel": "decomposed",
        "wrap": "emb_blocks_head" if date >= "2025-07-28" else "blocks_root",  # 83e694105
        "attention_kept": not (cudnn and date < "2025-12-01"),
        "abs_kept": "2024-11-26" <= date < "2025-02-06",  # bcebc0de5, 88247277c
    }
    if run.pp > 1:
        settings["reshard_after_forward"] = False  # every micro-batch would gather again
    return settings


def _torchtune() -> Json:
    return {
        "model_code": "torchtitan",
        "norm_kernel": "decomposed",
        "reshard_last": True,
        "wrap": "emb_blocks_head",
        "loss_impl": "chunked_head",  # eight pieces, since September 2024 (CEWithChunkedOutputLoss)
    }


def _litgpt() -> Json:
    """Return what finetune/lora.py of October 2023 (cf91ad271) sets.

    A batch of 128 in micro-batches, without gradient synchronisation but for the last one;
    FSDP1 with use_orig_params, one unit for each block; logits in pieces that are never cast.
    """
    return {
        "model_code": "transformers",
        "loss_impl": "plain",
        "norm_kernel": "decomposed",
        "grad_accum": 32,
        "accumulate_unsharded": True,
        "flat_mixed": True,
    }


def _transformers(run: Run) -> Json:
    """Return what a loop over a transformers model does with `output.loss`."""
    early = run.date < "2024-11"  # 4.45: the cast moved from the model to the loss, the copy went
    return {
        "model_code": "transformers",
        "loss_impl": "fp32_in_model" if early else "fp32_copy",
        "shifted_copy": early,
        "logits_kept": True,
        "norm_kernel": "decomposed",
    }
