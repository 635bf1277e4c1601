"""Derives the schema that TrainJob manifests are held to from Kubeflow Trainer's own definition.

    python scripts/trainjob_schema.py CRD.yaml "source and version" > knowledge/manifests/trainjob.json

CRD.yaml is manifests/base/crds/trainer.kubeflow.org_trainjobs.yaml of github.com/kubeflow/trainer
(Apache-2.0). Kept are names, types and limits of `spec`; prose is left out, and so are the forms of
volumes, affinities and security contexts, which are Kubernetes' own. Rules in CEL are not data:
`knowledge/trainjob.py` has those that a new manifest can break.
"""

import json
import sys
from pathlib import Path
from typing import Any

import yaml

KEPT = ("type", "pattern", "minimum", "maximum", "enum", "minLength", "maxLength", "maxItems", "minItems", "required")
OPEN = ("affinity", "securityContext")
"""Fields whose inside is not described."""
INT32_MAX = 2**31 - 1


def derive(node: dict[str, Any], name: str = "") -> dict[str, Any]:
    """Return the part of a schema that is kept; what has no such field refuses it."""
    if name in OPEN:
        return {"type": "object"}
    kept = {key: node[key] for key in KEPT if key in node}
    if node.get("x-kubernetes-int-or-string"):
        kept["type"] = ["integer", "string"]
    if node.get("format") == "int32":
        kept.setdefault("maximum", INT32_MAX)
    if "x-kubernetes-list-map-keys" in node:
        kept["unique_by"] = node["x-kubernetes-list-map-keys"]
    if "properties" in node:
        kept["properties"] = {key: derive(child, key) for key, child in node["properties"].items()}
        kept["additionalProperties"] = False
    elif isinstance(node.get("additionalProperties"), dict):
        kept["additionalProperties"] = derive(node["additionalProperties"])
    if "items" in node:
        kept["items"] = derive(node["items"], name)
        if name == "volumes":
            kept["items"]["properties"] = {
                key: child if child.get("type") != "object" or key == "persistentVolumeClaim" else {"type": "object"}
                for key, child in kept["items"]["properties"].items()
            }
    return kept


def main(crd: Path, source: str) -> None:
    """Print the derived schema."""
    definition = yaml.safe_load(crd.read_text(encoding="utf-8"))
    [version] = [one for one in definition["spec"]["versions"] if one["storage"]]
    whole = version["schema"]["openAPIV3Schema"]["properties"]
    found = {
        "source": source,
        "license": "Apache-2.0",
        "group": definition["spec"]["group"],
        "version": version["name"],
        "kind": definition["spec"]["names"]["kind"],
        "spec": derive(whole["spec"]),
    }
    print(json.dumps(found, indent=1))


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
