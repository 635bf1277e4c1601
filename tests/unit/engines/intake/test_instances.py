"""Cloud machine types against the providers' lists of them."""

import pytest

from engines.intake.instances import extract_instance
from engines.intake.reading import read_text
from engines.intake.tables import GPUS


@pytest.mark.parametrize(
    ("name", "gpu_type", "gpus", "memory_gb"),
    [
        ("p3.16xlarge", "V100", 8, 16),
        ("p4d.24xlarge", "A100", 8, 40),
        ("p4de.24xlarge", "A100", 8, 80),
        ("ml.p5.48xlarge", "H100", 8, 80),
        ("p5e.48xlarge", "H200", 8, 141),
        ("p5en.48xlarge", "H200", 8, 141),
        ("g4dn.xlarge", "T4", 1, 16),
        ("g5.12xlarge", "A10G", 4, 24),
        ("g5.16xlarge", "A10G", 1, 24),
        ("g6e.48xlarge", "L40S", 8, 48),
        ("a2-highgpu-4g", "A100", 4, 40),
        ("a2-ultragpu-8g", "A100", 8, 80),
        ("a3-megagpu-8g", "H100", 8, 80),
        ("a3-ultragpu-8g", "H200", 8, 141),
        ("g2-standard-48", "L4", 4, 24),
        ("standard_nd96asr_v4", "A100", 8, 40),
        ("nd96amsr_a100_v4", "A100", 8, 80),
        ("standard_nd96isr_h100_v5", "H100", 8, 80),
        ("nc24ads_a100_v4", "A100", 1, 80),
        ("nc96ads_a100_v4", "A100", 4, 80),
    ],
)
def test_a_machine_type_tells_its_gpus(name: str, gpu_type: str, gpus: int, memory_gb: float) -> None:
    found = extract_instance(f"we have a {name} for it", "en")
    assert found is not None
    instance, _ = found
    assert (instance.gpu_type, instance.gpus, instance.gpu_mem_gb) == (gpu_type, gpus, memory_gb)
    assert instance.gpu_type in GPUS


@pytest.mark.parametrize(
    ("text", "gpus", "nodes"),
    [
        ("2x p4d.24xlarge", 16, 2),
        ("three p5.48xlarge instances", 24, 3),
        ("p4d.24xlarge x 4", 32, 4),
        ("p5.48xlarge, --nnodes=2", 16, 2),
        ("on a g5.48xlarge (8 cards)", 8, 1),
        ("vi har to a3-highgpu-8g til det", 16, 2),
    ],
)
def test_machines_of_a_type_are_counted(text: str, gpus: int, nodes: int) -> None:
    values = read_text(text).values
    assert (values.gpus, values.nodes) == (gpus, nodes)


def test_a_memory_that_is_stated_goes_before_that_of_the_type() -> None:
    assert read_text("p4d.24xlarge, A100 80GB").values.gpu_mem_gb == 80


@pytest.mark.parametrize("text", ["sp5.48xlarge", "p4d.24xlarge2", "a3-highgpu", "the p5 paper", "g5 instances"])
def test_what_is_no_type_is_none(text: str) -> None:
    assert extract_instance(text, "en") is None
