"""What a person is told of a launch before it starts: what is unusual about it, or why it cannot run here."""

from contracts.request import Language
from contracts.wording import Sentences, told

_TEXTS: Sentences = {
    "ranks_out_of_range": (
        "{ranks} ranks on one machine; 1 to {most} can run",
        "{ranks} ranks på én maskine; der kan køre 1 til {most}",
    ),
    "too_few_gpus": (
        "{ranks} ranks need {ranks} GPUs, but {gpus} are visible here",
        "{ranks} ranks kræver {ranks} GPU'er, men her er {gpus} synlige",
    ),
    "too_few_gpus_hint": (
        "lower hardware.ranks, or set hardware.device: cpu for a trial",
        "sænk hardware.ranks, eller sæt hardware.device: cpu for at prøve",
    ),
    "shared_cores": (
        "{ranks} ranks share {cores} cores: they will wait for each other",
        "{ranks} ranks deles om {cores} kerner: de kommer til at vente på hinanden",
    ),
    "crowded": (
        "trials on {ranks} ranks, but this machine has {cores} cores, and at most {each} ranks share one: "
        "{each} x {cores} = {most} < {ranks}",
        "forsøg på {ranks} ranks, men maskinen har {cores} kerner, og højst {each} ranks deles om en: "
        "{each} x {cores} = {most} < {ranks}",
    ),
    "crowded_hint": (
        "try it on {most} ranks or fewer (hardware.ranks, --gpus)",
        "prøv på højst {most} ranks (hardware.ranks, --gpus)",
    ),
    "one_machine": (
        "the local runner has one machine, hardware.nodes is {nodes}",
        "den lokale runner har én maskine, hardware.nodes er {nodes}",
    ),
    "one_machine_hint": (
        "add slurm: {{}} to the request to run it as a Slurm job",
        "tilføj slurm: {{}} til anmodningen for at køre det som et Slurm-job",
    ),
    "replicas_uneven": (
        "{ranks} ranks cannot form {copies} replicas: {ranks} % {copies} != 0",
        "{ranks} ranks kan ikke danne {copies} replikaer: {ranks} % {copies} != 0",
    ),
    "cluster_paths": (
        "this run needs a home folder, inputs and an interpreter that every node sees under the same path",
        "denne kørsel kræver en hjemmemappe, inputs og en fortolker, som alle noder ser under samme sti",
    ),
    "shards_cross": (
        "{shard} ranks share a replica, and {each} are on a node: shards cross nodes unevenly",
        "{shard} ranks deles om en replika, og {each} er på en node: shards krydser noder ujævnt",
    ),
    "module_not_covered": (
        "module {name} is not in {folder}: its code is that of the environment, not approved by content",
        "modulet {name} er ikke i {folder}: dets kode er miljøets og ikke godkendt efter indhold",
    ),
    "script_covered": (
        "covered by the approval are the script and the files beside it that its imports name; what it loads by a "
        "computed name or from the environment is not",
        "godkendelsen dækker scriptet og de filer ved siden af, som dets imports nævner; det, som det henter under et "
        "beregnet navn eller fra miljøet, er ikke dækket",
    ),
    "large_file": (
        "{path} is large and not approved by content; list it in script.inputs",
        "{path} er stor og ikke godkendt efter indhold; anfør den i script.inputs",
    ),
}
"""By name: English, Danish."""


def say(key: str, language: Language | None, /, **values: object) -> str:
    """Return a sentence with its values filled in; English where no language is known."""
    return told(_TEXTS, key, language or "en", **values)
