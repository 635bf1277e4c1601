"""Model-state arithmetic of the need gate: what one GPU would have to hold.

Deliberately coarse: it decides whether sharding is called for at all. The prediction that
a plan rests on is the sizing engine's. GB = 1e9 bytes, as in the GPU vendors' data sheets.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from engines.intake.activations import TYPICAL_VOCABULARY, activations_gb, hidden_and_layers, logits_gb, vocabulary_of
from engines.intake.facts import Method, Optimizer, Values
from engines.intake.tables import DEFAULT_GPU_MEM_GB, gpu_memory_gb

BYTES_WITHOUT_STATE = 8.0
"""Bytes per trained parameter in mixed precision, the optimizer's state left out: bf16 weights 2 +
bf16 gradients 2 + fp32 master weights 4. With fp32 master weights that are cast when gathered
(FSDP2) it is 4 + 4: the same sum. Source: ZeRO, arXiv 1910.02054, 3.1."""
OPTIMIZERS: Mapping[Optimizer, tuple[str, float]] = {
    "adamw": ("AdamW", 8.0),
    "adamw_8bit": ("8-bit AdamW", 2.0),
    "adafactor": ("Adafactor", 0.0),
    "muon": ("Muon", 4.0),
    "sgd": ("SGD", 0.0),
    "sgd_momentum": ("SGD with momentum", 4.0),
    "lion": ("Lion", 4.0),
}
"""Each optimizer's name and the bytes of its state per trained parameter: fp32 moments, two of AdamW
and one of Muon, Lion and SGD with momentum; 8-bit ones of 8-bit AdamW; next to nothing of Adafactor
(rows and columns). Sources: the card optimizer-bytes; Lion, arXiv 2302.06675, section 3.2."""
BYTES_REPLICATED = 6.0
"""Bytes per trained parameter on top under DDP: fp32 buckets that gradients are copied into and
reduced in 4 (unless gradient_as_bucket_view is set), and the bf16 copies of the weights that
torch.autocast keeps until the end of the backward 2."""
BYTES_FROZEN_BF16 = 2.0
"""Bytes per frozen bf16 parameter (LoRA base, reference model)."""
BYTES_FROZEN_4BIT = 0.55
"""Bytes per frozen NF4 parameter with double-quantised scales: 4.127 bits + unquantised
embeddings and norms. Source: QLoRA, arXiv 2305.14314, section 3."""
ADAPTER_SHARE = 0.01
"""Adapter parameters per base parameter; rank 64 on all linear layers is about 2 %, the
usual rank 8 to 16 below 0.5 %."""
USABLE_SHARE = 0.9
"""Share of a GPU's memory that states and activations may take; the rest is context,
communicator buffers and allocator holes."""
DEFAULT_SEQ_LEN = 2048
"""Tokens per sequence where nothing was said."""
ENCODER_SEQ_LEN = 512
"""Tokens per sequence where nothing was said of an encoder of BERT's kind: it has as many
positions and no more. Source: BERT, arXiv 1810.04805, appendix A.2."""
DEFAULT_BATCH = 1
"""Sequences per GPU and micro-step where nothing was said."""


_ENCODER = re.compile(r"(?<!modern)(?<!modern-)bert|electra", re.IGNORECASE)
"""BERT, RoBERTa, DeBERTa, DistilBERT and their like; ModernBERT has 8192 positions."""


def default_seq_len(model: str | None) -> int:
    """Tokens per sequence that are assumed where nothing was said.

    Args:
        model: The model as named, or its path.

    Returns:
        512 for an encoder of BERT's kind, else 2048.
    """
    name = (model or "").rstrip("/").rsplit("/", 1)[-1]
    return ENCODER_SEQ_LEN if _ENCODER.search(name) else DEFAULT_SEQ_LEN


@dataclass(frozen=True)
class Arithmetic:
    """What training needs, beside what one GPU has. All sizes in GB (1e9 bytes)."""

    params: float
    """Parameters of the trained or adapted model."""
    method: Method
    """Which weights are trained; `full` where nothing was said."""
    bytes_per_param: float
    """Bytes per parameter of that model: weights, gradients, optimizer states."""
    optimizer: Optimizer
    """Optimizer; AdamW where nothing was said."""
    frozen_gb: float
    """A second, frozen model in bf16."""
    activations_gb: float
    """Activations and logits of one micro-step, with checkpointing."""
    vocabulary: int
    """Vocabulary entries that the logits were counted with."""
    vocabulary_assumed: bool
    """Whether that is the typical number, as the model is not known."""
    seq_len: int
    """Tokens per sequence that were used."""
    batch: int
    """Sequences per GPU that were used."""
    gpu_mem_gb: float
    """Memory of one GPU."""
    gpus: int | None
    """GPUs in all."""
    method_assumed: bool = False
    """Whether `method` is the default."""
    memory_assumed: bool = False
    """Whether neither the memory nor the type of the GPU was stated."""

    @property
    def logits_gb(self) -> float:
        """Logits and loss of one micro-step, where the loss is neither fused nor chunked."""
        return logits_gb(self.seq_len * self.batch, self.vocabulary)

    @property
    def states_own_gb(self) -> float:
        """Weights, gradients and optimizer states of the trained model."""
        return self.params * self.bytes_per_param / 1e9

    @property
    def states_gb(self) -> float:
        """The same with a second, frozen model."""
        return self.states_own_gb + self.frozen_gb

    @property
    def usable_gb(self) -> float:
        """What states and activations may take on one GPU."""
        return self.gpu_mem_gb * USABLE_SHARE

    @property
    def one_gpu_gb(self) -> float:
        """States and activations, unsharded."""
        return self.states_gb + self.activations_gb

    @property
    def replica_gb(self) -> float:
        """What each GPU holds under DDP: the same, gradient buckets and autocast's copies."""
        extra = self.params * BYTES_REPLICATED / 1e9 if self.method == "full" else 0.0
        return self.one_gpu_gb + extra

    @property
    def fits_replicated(self) -> bool:
        """Whether a whole replica fits each GPU under DDP."""
        return self.replica_gb <= self.usable_gb

    @property
    def sharded_gb(self) -> float:
        """States of one GPU when sharded over all of them."""
        return self.states_gb / max(self.gpus or 1, 1)

    @property
    def gathered_gb(self) -> float:
        """Two gathered bf16 blocks: the one computing and the one prefetched."""
        _, layers = hidden_and_layers(self.params)
        return 2 * 2 * self.params / max(layers, 1.0) / 1e9

    @property
    def states_fit(self) -> bool:
        """Whether the unsharded states alone fit one GPU."""
        return self.states_gb <= self.usable_gb

    @property
    def fits_one(self) -> bool:
        """Whether states and activations fit one GPU."""
        return self.one_gpu_gb <= self.usable_gb

    @property
    def fits_sharded(self) -> bool:
        """Whether states, gathered blocks and activations fit when sharded over all GPUs."""
        return self.sharded_gb + self.gathered_gb + self.activations_gb <= self.usable_gb


def bytes_per_param(method: Method, optimizer: Optimizer = "adamw") -> float:
    """Bytes per parameter of weights, gradients and optimizer states.

    Args:
        method: Which weights are trained.
        optimizer: What keeps state of them.

    Returns:
        8 and the optimizer's state for full training (16 with AdamW); otherwise the frozen weights,
        and 16 per adapter parameter, of which there are too few for the optimizer to matter.
    """
    if method == "full":
        return BYTES_WITHOUT_STATE + OPTIMIZERS[optimizer][1]
    frozen = BYTES_FROZEN_BF16 if method == "lora" else BYTES_FROZEN_4BIT
    return frozen + ADAPTER_SHARE * (BYTES_WITHOUT_STATE + OPTIMIZERS["adamw"][1])


def arithmetic(values: Values, method: Method | None = None) -> Arithmetic | None:
    """Work out what training needs.

    Args:
        values: What is known; defaults are used for lengths, batch and GPU memory.
        method: Overrides the stated method.

    Returns:
        The arithmetic, or None where the number of parameters is not known.
    """
    if values.params_b is None:
        return None
    params = values.params_b * 1e9
    chosen = method or values.method or "full"
    optimizer = values.optimizer or "adamw"
    seq_len = values.seq_len or default_seq_len(values.model)
    known = vocabulary_of(values.model)
    vocabulary = known or TYPICAL_VOCABULARY
    sums = Arithmetic(
        params=params,
        method=chosen,
        bytes_per_param=bytes_per_param(chosen, optimizer),
        optimizer=optimizer,
        frozen_gb=(values.frozen_params_b or 0) * BYTES_FROZEN_BF16,
        activations_gb=activations_gb(params, seq_len * DEFAULT_BATCH, vocabulary),
        vocabulary=vocabulary,
        vocabulary_assumed=known is None,
        seq_len=seq_len,
        batch=DEFAULT_BATCH,
        gpu_mem_gb=values.gpu_mem_gb or gpu_memory_gb(values.gpu_type) or DEFAULT_GPU_MEM_GB,
        gpus=values.gpus,
        method_assumed=values.method is None and method is None,
        memory_assumed=values.gpu_mem_gb is None and gpu_memory_gb(values.gpu_type) is None,
    )
    if values.batch is None or values.global_batch or values.seq_len is None:
        return sums
    # A batch can be made up by accumulation; it counts where it fits, and one sequence where not.
    whole = activations_gb(params, seq_len * values.batch, vocabulary)
    stated = replace(sums, batch=values.batch, activations_gb=whole)
    return stated if stated.fits_one else sums
