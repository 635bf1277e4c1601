import hashlib
import json
import os
import pickle

import pytest
from fsdp_sft_manifest import (
    claim_folder,
    digest_files,
    find_fault,
    list_folders,
    read_manifest,
    retire,
    write_manifest,
)


def make_checkpoint(root, name, step=1):
    folder = root / name
    folder.mkdir()
    for file, body in (
        (".metadata", pickle.dumps({})),
        ("__0_0.distcp", b"zero" * 100),
        ("__1_0.distcp", b"one" * 100),
    ):
        (folder / file).write_bytes(body)
    write_manifest(folder, digest_files(folder, [path.name for path in folder.iterdir()]), step, 2)
    return folder


def test_manifest_has_size_and_sha256_of_every_file(tmp_path):
    manifest = read_manifest(make_checkpoint(tmp_path, "step-00000050", 50))
    assert (manifest["step"], manifest["world_size"]) == (50, 2)
    assert manifest["files"]["__0_0.distcp"] == {
        "size_bytes": 400,
        "sha256": hashlib.sha256(b"zero" * 100).hexdigest(),
    }
    assert sorted(manifest["files"]) == [".metadata", "__0_0.distcp", "__1_0.distcp"]


def test_a_whole_checkpoint_has_no_fault_whoever_reads_which_part(tmp_path):
    folder = make_checkpoint(tmp_path, "step-00000001")
    assert [find_fault(folder, part, 2) for part in (0, 1)] == [None, None]


def flip(path):
    body = bytearray(path.read_bytes())
    body[10] ^= 1
    path.write_bytes(body)


FAULTS = [
    (lambda f: (f / "manifest.json").unlink(), "no manifest: the save was not finished"),
    (lambda f: (f / "manifest.json").write_text("{"), "unreadable manifest"),
    (lambda f: (f / "manifest.json").write_text("[]"), "unreadable manifest"),
    (lambda f: (f / "__1_0.distcp").unlink(), "__1_0.distcp is missing"),
    (lambda f: (f / "__1_0.distcp").write_bytes(b"one"), "__1_0.distcp has 3 bytes instead of 300"),
    (lambda f: flip(f / "__0_0.distcp"), "__0_0.distcp differs from its SHA-256"),
]


class Harm:
    """What somebody would pickle to have a resuming rank make a folder of his."""

    def __init__(self, path):
        self._path = path

    def __reduce__(self):
        return os.mkdir, (str(self._path),)


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_a_metadata_that_names_a_function_is_a_fault_though_its_digest_is_right(tmp_path, protocol):
    folder = make_checkpoint(tmp_path, "step-00000001")
    (folder / "manifest.json").unlink()
    (folder / ".metadata").write_bytes(pickle.dumps(Harm(tmp_path / "harm"), protocol))
    write_manifest(folder, digest_files(folder, [path.name for path in folder.iterdir()]), 1, 2)
    faults = [find_fault(folder, part, 2) for part in (0, 1)]
    assert faults == [".metadata names posix.mkdir, which no checkpoint of ours needs", None]
    assert not (tmp_path / "harm").exists()


@pytest.mark.parametrize(("harm", "fault"), FAULTS)
def test_a_harmed_checkpoint_has_a_fault_that_some_rank_sees(tmp_path, harm, fault):
    folder = make_checkpoint(tmp_path, "step-00000001")
    harm(folder)
    seen = [find_fault(folder, part, 2) for part in (0, 1)]
    assert any(each and each.startswith(fault) for each in seen), seen


def test_a_manifest_cannot_lead_out_of_its_folder(tmp_path):
    folder = make_checkpoint(tmp_path, "step-00000001")
    (tmp_path / "secret").write_text("x")
    manifest = json.loads((folder / "manifest.json").read_text())
    manifest["files"]["../secret"] = {"size_bytes": 1, "sha256": hashlib.sha256(b"x").hexdigest()}
    (folder / "manifest.json").write_text(json.dumps(manifest))
    assert "unreadable manifest" in find_fault(folder)


def test_folders_come_newest_first_and_later_attempts_before_earlier_ones(tmp_path):
    for name in ("step-00000010", "step-00000009-a3", "step-00000010-a2", "step-00000009", "step-x", "other"):
        (tmp_path / name).mkdir()
    assert list_folders(tmp_path) == ["step-00000010-a2", "step-00000010", "step-00000009-a3", "step-00000009"]


def test_a_step_folder_is_never_used_twice(tmp_path):
    names = [claim_folder(tmp_path, 50, attempt=2) for _ in range(3)]
    assert names == ["step-00000050", "step-00000050-a2", "step-00000050-a3"]
    assert all((tmp_path / name).is_dir() for name in names)


def test_retention_keeps_the_newest_good_ones_and_counts_no_bad_one(tmp_path):
    for step in (10, 20, 30, 50):
        make_checkpoint(tmp_path, f"step-{step:08d}", step)
    (tmp_path / "step-00000015").mkdir()
    (tmp_path / "step-00000040").mkdir()
    # 50 did not verify and 40 was never finished: the two good ones to keep are 30 and 20
    deleted = retire(tmp_path, keep=2, distrusted={"step-00000050"})
    assert deleted == ["step-00000015", "step-00000010"]
    assert list_folders(tmp_path) == ["step-00000050", "step-00000040", "step-00000030", "step-00000020"]


def test_retention_deletes_nothing_while_there_are_few_good_ones(tmp_path):
    make_checkpoint(tmp_path, "step-00000010")
    (tmp_path / "step-00000005").mkdir()
    assert retire(tmp_path, keep=2, distrusted=set()) == []
    assert len(list_folders(tmp_path)) == 2
