"""Which files of its own a script imports."""

from pathlib import Path

import pytest

from runners.script_imports import imported_files, module_file


@pytest.fixture
def project(tmp_path: Path) -> Path:
    files = {
        "train.py": "import os, torch\nimport data\nfrom models import build, missing\nimport json as j\n",
        "data.py": "def load():\n    from late import cache\n",
        "late.py": "import data\n",
        "unused.py": "",
        "models/__init__.py": "from .blocks import Block\nfrom . import heads\n",
        "models/blocks.py": "from ..models.norms import Norm\n",
        "models/heads.py": "from models.deep.inner import f\n",
        "models/norms.py": "",
        "models/deep/inner.py": "",
        "torchtitan/train.py": "",
        "package/__main__.py": "",
    }
    for name, body in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(body)
    return tmp_path


def test_imports_are_followed_wherever_they_stand(project: Path) -> None:
    found = {str(path.relative_to(project)) for path in imported_files(project / "train.py", [project])}
    assert found == {
        "data.py",
        "late.py",
        "models/__init__.py",
        "models/blocks.py",
        "models/heads.py",
        "models/norms.py",
        "models/deep/inner.py",
    }


def test_a_text_that_is_no_python_leads_nowhere(project: Path) -> None:
    (project / "train.py").write_text("import data\nthis is (no python")
    assert imported_files(project / "train.py", [project]) == []


def test_a_name_cannot_lead_out_of_the_folder(project: Path) -> None:
    inner = project / "models"
    (inner / "blocks.py").write_text("from ...data import load\n")
    assert project / "data.py" not in imported_files(inner / "blocks.py", [inner])


@pytest.mark.parametrize(
    ("module", "wanted"),
    [("torchtitan.train", "torchtitan/train.py"), ("package", "package/__main__.py"), ("absent", None)],
)
def test_what_python_would_run_of_a_module(project: Path, module: str, wanted: str | None) -> None:
    found = module_file(module, project)
    assert (found and str(found.relative_to(project))) == wanted
