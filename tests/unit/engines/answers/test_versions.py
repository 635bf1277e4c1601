import pytest

from engines.answers.versions import asked_version


@pytest.mark.parametrize(
    ("question", "version"),
    [
        ("What changed in torch 2.13?", "2.13"),
        ("PyTorch 2.6.1: is fully_shard public?", "2.6.1"),
        ("I use torch==2.9.0 and it hangs", "2.9.0"),
        ("Is it removed in 2.13?", "2.13"),
        ("Virker det i torch 2.10?", "2.10"),
        ("on torch v2.7, what is the default?", "2.7"),
        ("tied weights before torch 2.13", "2.12"),
        ("older than 2.13, did they drift?", "2.12"),
        ("før 2.13", "2.12"),
        ("Does FSDP2 need a scaler?", None),
        ("What changed from torch 2.5 to torch 2.6?", None),
        ("A model with 2.7 B parameters on 8 GPUs", None),
        ("in 2.5 GB of memory", None),
        ("it is 1.5x slower", None),
        ("from 2.13 to 2.14", None),
    ],
)
def test_the_version_that_is_meant(question: str, version: str | None) -> None:
    assert asked_version(question) == version
