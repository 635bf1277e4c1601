"""GPUs by the names that people and drivers use."""

import pytest

from knowledge.devices import devices, find_device


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("NVIDIA H100 80GB HBM3", "H100-80GB"),
        ("h100", "H100-80GB"),
        ("A100-40GB", "A100-40GB"),
        ("NVIDIA GeForce RTX 4090", "RTX-4090"),
        ("AMD Instinct MI300X", "MI300X"),
        ("B200", "B200"),
    ],
)
def test_names_of_drivers_and_people_are_found(text, name):
    assert find_device(text).name == name


@pytest.mark.parametrize("text", ["", "H1000", "TPU v5e"])
def test_other_names_are_not(text):
    assert find_device(text) is None


def test_no_name_means_two_devices():
    names = [alias.lower() for device in devices().values() for alias in (device.name, *device.aliases)]
    assert len(names) == len(set(names))


@pytest.mark.parametrize("stem", sorted(devices()))
def test_a_process_cannot_use_more_than_the_name_says(stem):
    device = devices()[stem]
    # vendors' "GB" is GiB on most cards and 1e9 bytes on some; usable is between the two, less a reserve
    assert 0.9 * device.memory_gb * 1e9 / 2**30 < device.usable_gib <= device.memory_gb
    assert device.source.startswith("https://")


@pytest.mark.parametrize("stem", sorted(devices()))
def test_each_value_has_its_source_or_says_that_it_has_none(stem):
    device = devices()[stem]
    assert device.tflops_source.startswith("https://") == (device.bf16_tflops is not None)
    assert device.usable_source.startswith("https://") or "No report" in device.note
