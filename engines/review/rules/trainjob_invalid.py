"""KF450: a TrainJob that Kubeflow Trainer would refuse, by its published schema."""

from collections.abc import Iterator

from engines.review.manifests import Manifest
from engines.review.rule import Hit, Rule
from knowledge.trainjob import problems

RULE = Rule(
    id="KF450",
    slug="trainjob-invalid",
    severity="error",
    fix="Write the field as the TrainJob's definition has it (kubectl explain trainjob.spec).",
    reads="manifest",
    card="trainjob-manifest",
)


def check(manifest: Manifest) -> Iterator[Hit]:
    """Yield every field that the schema refuses."""
    for problem in problems(manifest.data):
        line, column = manifest.place(problem.path)
        yield Hit(manifest.file, line, column, problem.message)
