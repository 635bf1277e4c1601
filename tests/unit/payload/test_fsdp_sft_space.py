"""Room on the disk: by the newest whole checkpoint, by parameters, and by what statvfs says."""

import json
import os
from types import SimpleNamespace

import pytest
from fsdp_sft_space import RESERVE_BYTES, checkpoint_bytes, shortage


def make_step(root, step, sizes):
    folder = root / f"step-{step:08d}"
    folder.mkdir()
    files = {name: {"size_bytes": size, "sha256": "0" * 64} for name, size in sizes.items()}
    (folder / "manifest.json").write_text(json.dumps({"files": files, "step": step, "world_size": 2}))
    return folder


def test_the_first_checkpoint_is_three_fp32_numbers_for_each_parameter(tmp_path):
    assert checkpoint_bytes(tmp_path, 1_000_000) == 12_000_000


def test_the_newest_whole_checkpoint_tells_the_size(tmp_path):
    make_step(tmp_path, 10, {".metadata": 5, "__0_0.distcp": 100})
    make_step(tmp_path, 20, {".metadata": 7, "__0_0.distcp": 100, "__1_0.distcp": 200})
    (make_step(tmp_path, 30, {".metadata": 1}) / "manifest.json").unlink()  # a save that was cut off
    assert checkpoint_bytes(tmp_path, 1_000_000) == 307


@pytest.mark.parametrize(("over", "fits"), [(0, True), (1, False)])
def test_what_is_free_to_us_counts_and_a_reserve_stays(tmp_path, monkeypatch, over, fits):
    # 1000 blocks for root, 25600 of 4 KiB for us: 100 MiB
    disk = SimpleNamespace(f_bfree=26600, f_bavail=25600, f_frsize=4096)
    monkeypatch.setattr(os, "statvfs", lambda _: disk)
    lacking = shortage(tmp_path, (100 << 20) - RESERVE_BYTES + over)
    assert (lacking is None) == fits
    if lacking:
        assert "92.0 MiB" in lacking
        assert "100.0 MiB are free" in lacking


def test_an_unknown_disk_is_tried(tmp_path):
    assert shortage(tmp_path / "none", 1 << 60) is None


def test_a_real_disk_has_no_exbibyte(tmp_path):
    assert shortage(tmp_path, 1 << 60)
