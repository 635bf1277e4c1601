import pytest
from fsdp_sft_config import ConfigError
from fsdp_sft_launch import Launch, read_launch


@pytest.fixture
def environment(monkeypatch, tmp_path):
    """What torchrun and the runner set; a test changes it."""

    def change(**values):
        usual = {"RANK": "3", "WORLD_SIZE": "4", "LOCAL_RANK": "1", "FSDP_RUN_DIR": str(tmp_path), "FSDP_ATTEMPT": "2"}
        for name, value in (usual | values).items():
            if value is None:
                monkeypatch.delenv(name, raising=False)
            else:
                monkeypatch.setenv(name, value)

    return change


def test_reads_what_launcher_and_runner_say(environment, tmp_path):
    environment()
    assert read_launch() == Launch(rank=3, world_size=4, local_rank=1, run_dir=tmp_path, attempt=2)
    environment(FSDP_ATTEMPT=None)
    assert read_launch().attempt == 1


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (
            {"RANK": None, "LOCAL_RANK": None},
            "RANK, LOCAL_RANK not set: start the job with python -m torch.distributed",
        ),
        ({"FSDP_RUN_DIR": None}, "FSDP_RUN_DIR must name an existing folder, not None"),
        ({"FSDP_RUN_DIR": "/missing"}, "FSDP_RUN_DIR must name an existing folder, not '/missing'"),
        ({"FSDP_ATTEMPT": "0"}, "FSDP_ATTEMPT must be a whole number from 1, not '0'"),
        ({"FSDP_ATTEMPT": "one"}, "FSDP_ATTEMPT must be a whole number from 1, not 'one'"),
    ],
)
def test_refuses_what_is_missing_or_wrong(environment, values, message):
    environment(**values)
    with pytest.raises(ConfigError, match=message):
        read_launch()
