"""The forms of a review's answer, its settings and baseline, and edits written into files."""

import json
import stat
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from contracts.errors import FileUnreadable, RequestInvalid
from contracts.finding import ReviewResult
from engines.review.engine import review_paths
from engines.review.sarif import sarif, workflow_commands
from interfaces.service_review import Options, fix, review, write_baseline

FAULTY = """\
from torch.distributed.fsdp import fully_shard


def step(model, x, mesh):
    for block in model.blocks:
        fully_shard(block, mesh=mesh)
    fully_shard(model, mesh=mesh)
    return model.forward(x)
"""

_TEXT = {"type": "object", "required": ["text"], "properties": {"text": {"type": "string"}}}
_ARTIFACT = {
    "type": "object",
    "required": ["uri"],
    "additionalProperties": False,
    "properties": {"uri": {"type": "string", "format": "uri-reference"}},
}
_REGION = {
    "type": "object",
    "required": ["startLine"],
    "additionalProperties": False,
    "properties": {
        **{name: {"type": "integer", "minimum": 1} for name in ("startLine", "startColumn", "endLine", "endColumn")},
        "snippet": _TEXT,
    },
}
_PLACES = {
    "type": "array",
    "items": {
        "type": "object",
        "required": ["physicalLocation"],
        "properties": {
            "id": {"type": "integer", "minimum": -1},
            "message": _TEXT,
            "physicalLocation": {
                "type": "object",
                "required": ["artifactLocation"],
                "properties": {"artifactLocation": _ARTIFACT, "region": _REGION},
            },
        },
    },
}
_LEVEL = {"enum": ["none", "note", "warning", "error"]}
SARIF = {
    "$schema": "http://json-schema.org/draft-07/schema#",
    "type": "object",
    "required": ["version", "runs"],
    "additionalProperties": False,
    "properties": {
        "$schema": {"type": "string"},
        "version": {"const": "2.1.0"},
        "runs": {
            "type": "array",
            "minItems": 1,
            "items": {
                "type": "object",
                "required": ["tool", "results"],
                "additionalProperties": False,
                "properties": {
                    "columnKind": {"enum": ["utf16CodeUnits", "unicodeCodePoints"]},
                    "invocations": {
                        "type": "array",
                        "items": {
                            "type": "object",
                            "required": ["executionSuccessful"],
                            "properties": {
                                "toolExecutionNotifications": {
                                    "type": "array",
                                    "items": {
                                        "type": "object",
                                        "required": ["message"],
                                        "properties": {"level": _LEVEL},
                                    },
                                }
                            },
                        },
                    },
                    "tool": {
                        "type": "object",
                        "required": ["driver"],
                        "properties": {
                            "driver": {
                                "type": "object",
                                "required": ["name"],
                                "properties": {
                                    "rules": {"type": "array", "items": {"type": "object", "required": ["id"]}}
                                },
                            }
                        },
                    },
                    "results": {
                        "type": "array",
                        "items": {
                            "type": "object",
                            "required": ["message", "ruleId", "ruleIndex", "level", "locations"],
                            "additionalProperties": False,
                            "properties": {
                                "ruleId": {"type": "string"},
                                "ruleIndex": {"type": "integer", "minimum": 0},
                                "level": _LEVEL,
                                "message": _TEXT,
                                "partialFingerprints": {"type": "object", "additionalProperties": {"type": "string"}},
                                "locations": _PLACES,
                                "relatedLocations": _PLACES,
                                "fixes": {
                                    "type": "array",
                                    "items": {
                                        "type": "object",
                                        "required": ["artifactChanges"],
                                        "properties": {
                                            "artifactChanges": {
                                                "type": "array",
                                                "minItems": 1,
                                                "items": {
                                                    "type": "object",
                                                    "required": ["artifactLocation", "replacements"],
                                                    "properties": {
                                                        "artifactLocation": _ARTIFACT,
                                                        "replacements": {
                                                            "type": "array",
                                                            "items": {
                                                                "type": "object",
                                                                "required": ["deletedRegion"],
                                                                "properties": {"deletedRegion": _REGION},
                                                            },
                                                        },
                                                    },
                                                },
                                            }
                                        },
                                    },
                                },
                            },
                        },
                    },
                },
            },
        },
    },
}
"""What the standard demands of the parts of SARIF 2.1.0 that are written here."""


def _faulty(folder: Path, name: str = "train.py") -> Path:
    path = folder / name
    path.write_text(FAULTY)
    return path


def _found(result: ReviewResult) -> list[tuple[str, int]]:
    return [(finding.rule, finding.line) for finding in result.findings]


def test_sarif_is_what_the_standard_asks(tmp_path: Path) -> None:
    (tmp_path / "broken.py").write_text("def f(:\n")
    log: dict[str, Any] = sarif(review_paths([_faulty(tmp_path, "a b.py"), tmp_path / "broken.py"]), "1.0")
    jsonschema.Draft7Validator(SARIF, format_checker=jsonschema.FormatChecker()).validate(log)
    (run,) = log["runs"]
    (result,) = run["results"]
    assert run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == result["ruleId"] == "FSDP080"
    place = result["locations"][0]["physicalLocation"]
    assert place["region"]["startLine"] == 8
    assert place["artifactLocation"]["uri"].endswith("a%20b.py")
    assert "broken.py" in run["invocations"][0]["toolExecutionNotifications"][0]["message"]["text"]
    replaced = result["fixes"][0]["artifactChanges"][0]["replacements"][0]
    assert replaced["insertedContent"]["text"] == "    return model(x)\n"


def test_sarif_shows_the_other_places_of_a_mistake(tmp_path: Path) -> None:
    (tmp_path / "groups.py").write_text(
        "def make(model):\n    return [p for p in model.parameters() if p.requires_grad]\n"
    )
    (tmp_path / "train.py").write_text(
        "import torch\nfrom torch.distributed.fsdp import fully_shard\nfrom groups import make\n\n\n"
        "def main(model):\n    found = make(model)\n    for layer in model.layers:\n        fully_shard(layer)\n"
        "    fully_shard(model)\n    return torch.optim.AdamW(found)\n"
    )
    log = sarif(review_paths([tmp_path]), "1.0")
    jsonschema.Draft7Validator(SARIF, format_checker=jsonschema.FormatChecker()).validate(log)
    (result,) = (found for found in log["runs"][0]["results"] if found["ruleId"] == "FSDP001")
    assert result["locations"][0]["physicalLocation"]["region"]["startLine"] == 7
    related = [place["physicalLocation"]["region"]["startLine"] for place in result["relatedLocations"]]
    assert related == [11, 9], "the optimizer, then the first wrap"


def test_github_commands_escape_what_would_end_them(tmp_path: Path) -> None:
    (finding,) = review_paths([_faulty(tmp_path)]).findings
    odd = finding.model_copy(update={"file": "a:b,c.py", "message": "50% of\nit"})
    (line,) = workflow_commands([odd])
    assert line.startswith("::error file=a%3Ab%2Cc.py,line=8,col=12,title=FSDP080 forward-bypass::50%25 of%0Ait. ")


def test_a_baseline_keeps_what_is_known_and_reports_what_is_new(tmp_path: Path) -> None:
    path, known = _faulty(tmp_path), tmp_path / "known.json"
    write_baseline(str(known), review([str(path)], Options()).findings)
    options = Options(baseline=str(known))
    assert review([str(path)], options).findings == ()
    path.write_text("# one more line above\n" + FAULTY.replace("forward(x)", "forward(x) + model.forward(x[:1])"))
    assert _found(review([str(path)], options)) == [("FSDP080", 9)]
    with pytest.raises(FileUnreadable, match=r"none\.json"):
        review([str(path)], Options(baseline=str(tmp_path / "none.json")))
    known.write_text("[]")
    with pytest.raises(RequestInvalid, match="no baseline"):
        review([str(path)], options)


def test_a_project_decides_in_its_pyproject(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = tmp_path / "src"
    source.mkdir()
    _faulty(source)
    _faulty(source, "generated_step.py")
    monkeypatch.chdir(source)
    config = tmp_path / "pyproject.toml"
    config.write_text('[tool.fsdp-agent.review]\npaths = ["src"]\nexclude = ["**/generated_*.py"]\n')
    result = review([], Options())
    assert [Path(name).name for name in result.files] == ["train.py"]
    assert _found(result) == [("FSDP080", 8)]
    assert review([], Options(ignore=("FSDP08",))).findings == ()
    assert review([], Options(select=("HF",))).findings == ()
    assert len(review([str(source)], Options(isolated=True)).findings) == 2
    config.write_text('[tool.fsdp-agent.review]\nselekt = ["HF"]\n')
    with pytest.raises(RequestInvalid, match="selekt") as raised:
        review([str(source)], Options())
    assert "select" in (raised.value.hint or "")
    with pytest.raises(RequestInvalid, match="nothing to review"):
        review([], Options(isolated=True))


def test_a_suppression_of_a_rule_that_is_off_is_not_unused(tmp_path: Path) -> None:
    path = _faulty(tmp_path)
    path.write_text(FAULTY.replace("forward(x)", "forward(x)  # fsdp: ignore[FSDP080] meant so"))
    assert review([str(path)], Options()).findings == ()
    assert review([str(path)], Options(ignore=("FSDP080",))).findings == ()


@pytest.mark.parametrize(
    ("head", "encoding"),
    [("", "utf-8"), ("# -*- coding: latin-1 -*-\n# Größe\n", "latin-1"), ("\ufeff# Größe\n", "utf-8")],
)
def test_a_fix_keeps_encoding_line_ends_mode_and_links(tmp_path: Path, head: str, encoding: str) -> None:
    path = tmp_path / "train.py"
    path.write_bytes((head + FAULTY).replace("\n", "\r\n").encode(encoding))
    path.chmod(0o750)
    link = tmp_path / "link.py"
    link.symlink_to(path)
    (done,) = fix(review([str(link)], Options()).findings)
    assert (done.edits, done.problem) == (1, "")
    expected = (head + FAULTY.replace("model.forward(x)", "model(x)")).replace("\n", "\r\n").encode(encoding)
    assert path.read_bytes() == expected
    assert stat.S_IMODE(path.stat().st_mode) == 0o750
    assert link.is_symlink()
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["link.py", "train.py"]
    assert review([str(path)], Options()).findings == ()


def test_a_file_that_has_changed_since_is_left_alone(tmp_path: Path) -> None:
    path = _faulty(tmp_path)
    findings = review([str(path)], Options()).findings
    path.write_text("import torch\n" + FAULTY)
    (done,) = fix(findings)
    assert done.edits == 0
    assert "line 8" in done.problem
    assert path.read_text() == "import torch\n" + FAULTY


def test_known_findings_are_recognised_by_text(tmp_path: Path) -> None:
    path, known = _faulty(tmp_path), tmp_path / "known.json"
    write_baseline(str(known), review([str(path)], Options()).findings)
    (entry,) = json.loads(known.read_text())["findings"]
    assert entry["rule"] == "FSDP080"
    path.write_text(FAULTY.replace("model.forward(x)", "model.forward(x).sum()"))
    assert _found(review([str(path)], Options(baseline=str(known)))) == [("FSDP080", 8)]
