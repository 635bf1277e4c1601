"""Speed: the time of an optimizer step, and what bounds it."""

from dataclasses import dataclass

from engines.sizing.setup import TrainingSetup
from engines.sizing.shape import ModelShape
from engines.sizing.throughput.fabric import Fabric
from engines.sizing.throughput.rates import Rates
from engines.sizing.throughput.traffic import Exchange, exchange, volume
from engines.sizing.throughput.work import Work, step_work
from knowledge.devices import Device

KERNEL_US = 5.0
"""Host time of one kernel launch from Python, in microseconds: a step cannot be shorter than
its launches."""

FALLBACK_TFLOPS_PER_GB_PER_S = 0.1
"""fp16 TFLOP/s for each GB/s of memory bandwidth of a GPU without bf16 (V100: 125 TFLOP/s, 900 GB/s)."""


@dataclass(frozen=True)
class Conditions:
    """What matters to speed but not to memory."""

    deterministic: bool = False
    """torch.use_deterministic_algorithms is on."""
    recent: bool = True
    """torch 2.9 or newer."""
    tuned: bool = False
    """A training code that is tuned and compiled as a whole, as IBM's fms-fsdp is."""


@dataclass(frozen=True)
class Speed:
    """One optimizer step, in seconds, and its figures."""

    products_s: float
    """Matrix products of blocks and head."""
    attention_s: float
    """Attention."""
    elementwise_s: float
    """Work that memory bandwidth bounds."""
    launch_s: float
    """Host time of all kernel launches; it counts where it exceeds the GPU's."""
    links: Exchange
    """Collectives and copies."""
    exposed_s: float
    """What the GPU waits for them."""
    bubble_s: float
    """Idle time of a pipeline."""
    between_s: float
    """Host time between two steps, in which the GPU idles."""
    step_s: float
    """The whole step."""
    tokens_per_s_per_gpu: float
    """Tokens a second and GPU."""
    mfu_pct: float
    """Model FLOPs over the bf16 peak, in percent (attention counted whole)."""
    tflops_per_gpu: float
    """Model TFLOP/s of a GPU."""

    @property
    def compute_s(self) -> float:
        """Time that the GPU computes."""
        return self.products_s + self.attention_s + self.elementwise_s

    @property
    def bound_by(self) -> str:
        """What limits the step: compute, memory bandwidth, communication or the host."""
        if self.exposed_s > 0.5 * self.step_s or self.links.hidden_s > max(self.compute_s, self.launch_s):
            return "communication"
        if self.launch_s > self.compute_s:
            return "host"
        products = self.products_s + self.attention_s
        return "compute" if products >= self.elementwise_s else "memory"


def predict_speed(
    shape: ModelShape,
    setup: TrainingSetup,
    device: Device,
    fabric: Fabric,
    rates: Rates,
    conditions: Conditions | None = None,
) -> Speed:
    """Predict the time of one optimizer step.

    Args:
        shape: The model.
        setup: How it is trained.
        device: The GPU.
        fabric: The links.
        rates: The fitted numbers.
        conditions: What else is known.
    """
    work = step_work(shape, setup)
    links = exchange(volume(shape, setup), setup, fabric, rates.reach)
    return assemble(work, links, setup, device, rates, conditions or Conditions())


def peak_flops(device: Device) -> float:
    """Return the dense bf16 peak in FLOP/s (fp16 where there is no bf16)."""
    tflops = device.bf16_tflops or FALLBACK_TFLOPS_PER_GB_PER_S * device.hbm_gb_per_s
    return tflops * 1e12


def _peak_of(setup: TrainingSetup, device: Device) -> float:
    """Return the dense peak in FLOP/s in the dtype of the products."""
    if setup.param_dtype != "fp32":
        return peak_flops(device)
    return peak_flops(device) / 2 if device.fp32_tflops is None else device.fp32_tflops * 1e12  # TF32 is half


def assemble(
    work: Work, links: Exchange, setup: TrainingSetup, device: Device, rates: Rates, conditions: Conditions
) -> Speed:
    """Return the speed that counted work and links make together."""
    slower = 1 / rates.recent if conditions.recent else 1.0
    if conditions.deterministic:
        slower /= rates.deterministic
    if conditions.tuned:
        slower /= rates.tuned
    peak = _peak_of(setup, device) * rates.matmul_share(device.name)
    products = (work.block_flops / float8_gain(setup, rates) + work.head_flops) / peak * slower
    attention = work.attention_flops / (peak * rates.attention) * slower
    elementwise = work.traffic_bytes / (device.hbm_gb_per_s * 1e9 * rates.memory) * slower
    launch = work.kernels * KERNEL_US * 1e-6
    busy = max(products + attention + elementwise, launch)
    together = busy + links.hidden_s - rates.overlap * min(busy, links.hidden_s)
    bubble = busy * (setup.pp - 1) / max(setup.grad_accum, setup.pp)
    between = rates.between_steps_ms * 1e-3 * work.layers
    step = together + links.exposed_s + bubble + between
    tokens = work.tokens / step
    flops = work.model_flops / step
    return Speed(
        products_s=products,
        attention_s=attention,
        elementwise_s=elementwise,
        launch_s=launch,
        links=links,
        exposed_s=together - busy + links.exposed_s,
        bubble_s=bubble,
        between_s=between,
        step_s=step,
        tokens_per_s_per_gpu=tokens,
        mfu_pct=100 * flops / peak_flops(device),
        tflops_per_gpu=flops / 1e12,
    )


def float8_gain(setup: TrainingSetup, rates: Rates) -> float:
    """Return how much faster the blocks' products are than in bf16."""
    if setup.float8 == "none":
        return 1.0
    return rates.float8_rowwise if setup.float8 == "rowwise" else rates.float8
