"""Scripts: shell and Slurm launch scripts as commands, variables and directives."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import NamedTuple

from engines.review.shell import ASSIGNS, assigned, joined, nested, parts, words

MAX_LINES = 20_000
"""Lines read of one script."""
_ARRAY = re.compile(r"^\s*(?:export |declare -\w+ |local )?([A-Za-z_]\w*)\+?=\((.*)$")
_LEADS = ("env", "time", "nohup", "exec", "if", "then", "else", "elif", "do", "while", "until", "!")
"""Words of the shell before a command."""
_VARIABLE = re.compile(r"^\$\{?(\w+)(?:\[[@*]\])?\}?$")
_PROGRAM = re.compile(r"(^|/)(python[\d.]*|torchrun|accelerate|srun|\w+\.py)$")
"""Single words that a variable may hold in the place of a command or of its program."""
MAX_EXPANSIONS = 4
"""Variables inside each other that are put in the place of a command's words."""
_SBATCH = re.compile(r"^#(?:SBATCH|PBS)\s+(--?[\w-]+)(?:[=\s]\s*(\S+))?")


_ASKED = {
    "SLURM_NNODES": ("nodes",),
    "SLURM_JOB_NUM_NODES": ("nodes",),
    "SLURM_GPUS_PER_NODE": ("gpus-per-node",),
    "SLURM_GPUS_ON_NODE": ("gpus-per-node",),
    "SLURM_NTASKS_PER_NODE": ("ntasks-per-node",),
}
"""Variables of a job, and the options of sbatch that they repeat."""


class Setting(NamedTuple):
    """A variable that is set."""

    name: str
    value: str
    path: str
    line: int
    each_node: bool = False
    """Whether it is evaluated by a shell that srun starts on every node."""


class Directive(NamedTuple):
    """A line for the batch system."""

    name: str
    """Long name without dashes, such as ntasks-per-node."""
    value: str
    line: int


class Command(NamedTuple):
    """A command with its words."""

    words: tuple[str, ...]
    line: int

    def option(self, *names: str) -> str | None:
        """Return the value of an option, "" for a flag without one, None where it is absent."""
        wanted = {name.replace("_", "-") for name in names}
        for index, word in enumerate(self.words):
            name, equals, value = word.partition("=")
            if name.replace("_", "-") in wanted:
                if equals:
                    return value
                following = self.words[index + 1 : index + 2]
                return following[0] if following and not following[0].startswith("--") else ""
        return None

    def launcher(self) -> str:
        """Return which launcher a command uses: torchrun, launch, accelerate, deepspeed, python or ""."""
        words = [word.rpartition("/")[2] for word in self.words]
        if "torchrun" in words or "torch.distributed.run" in self.words:
            return "torchrun"
        if "torch.distributed.launch" in self.words:
            return "launch"
        for name in (
            "accelerate",
            "deepspeed",
            "composer",
            "ray",
            "horovodrun",
            "mpirun",
            "mpiexec",
            "lightning",
            "fabric",
        ):
            if name in words:
                return name
        return "python" if any(re.fullmatch(r"python[\d.]*", word) for word in words) else ""

    def module(self) -> str:
        """Return the Python module that torchrun or python runs with -m, "" for none."""
        pairs = zip(self.words, self.words[1:], strict=False)
        named = [word for option, word in pairs if option == "-m" and not word.startswith("torch.distributed.")]
        return named[0] if named else ""

    def text(self) -> str:
        """Return the words as one text."""
        return " ".join(self.words)

    def program(self) -> str:
        """Return the Python file that a command runs, "" for none."""
        return next((word for word in self.words if word.endswith(".py")), "")


@dataclass
class Script:
    """A launch script."""

    path: str
    text: str
    commands: list[Command] = field(default_factory=list)
    settings: list[Setting] = field(default_factory=list)
    directives: list[Directive] = field(default_factory=list)
    programs: dict[str, str] = field(default_factory=dict)
    """Text of the Python files of the review, by their base name."""

    @property
    def written(self) -> str:
        """The text without lines that are comments."""
        return "\n".join(line for line in self.text.splitlines() if not line.lstrip().startswith("#"))

    def directive(self, *names: str) -> Directive | None:
        """Return the last directive of these names."""
        found = [directive for directive in self.directives if directive.name in names]
        return found[-1] if found else None

    def setting(self, name: str) -> Setting | None:
        """Return the last value of a variable."""
        found = [setting for setting in self.settings if setting.name == name]
        return found[-1] if found else None

    def is_certain(self, word: str | None) -> bool:
        """Tell whether a word is no variable, or one that every arm of the script sets to the same value."""
        name = re.fullmatch(r"\$\{?(\w+)(?::?-[^}]*)?\}?", (word or "").strip("\"'"))
        values = {one.value for one in self.settings if name is not None and one.name == name[1]}
        return len(values) < 2

    def held(self, word: str) -> str:
        """Return what a variable of the script holds, any other word as it is."""
        name = re.fullmatch(r"\$\{?(\w+)\}?", word.strip("\"'"))
        setting = self.setting(name[1]) if name is not None else None
        return setting.value if setting is not None else word

    def number(self, word: str | None) -> int | None:
        """Return a number that is written, or held by a variable of the script."""
        for _ in range(3):
            if word is None:
                return None
            plain = word.strip("\"'")
            if plain.isdigit():
                return int(plain)
            name = re.fullmatch(r"\$\{?(\w+)(?::-(\d+))?\}?", plain)
            if name is None:
                return None
            held = self.setting(name[1]) or self._of_slurm(name[1])
            refers_to_itself = held is not None and name[1] in held.value and name[2] is not None
            word = held.value if held is not None and not refers_to_itself else name[2]
        return None

    def _of_slurm(self, variable: str) -> Setting | None:
        """Return a variable that Slurm sets to what the script asks it for."""
        directive = self.directive(*_ASKED.get(variable, ()))
        return Setting(variable, directive.value, self.path, directive.line) if directive is not None else None

    def nodes(self) -> int | None:
        """Return the number of nodes that the batch system is asked for."""
        directive = self.directive("nodes")
        return self.number(directive.value.partition("-")[0]) if directive is not None else None


@dataclass
class Environment:
    """Variables that a file sets, for the rules on their names."""

    settings: list[Setting]
    several_nodes: bool = False


_SHORT = {"-N": "nodes", "-n": "ntasks", "-G": "gpus", "-J": "job-name", "-t": "time"}


def read_script(path: str, text: str) -> Script:
    """Read a shell script line by line; what cannot be split into words is left out."""
    script = Script(path, text)
    pending, start = "", 0
    for number, line in joined(text.splitlines()[:MAX_LINES]):
        directive = _SBATCH.match(line)
        if directive is not None:
            name = _SHORT.get(directive[1], directive[1].lstrip("-"))
            script.directives.append(Directive(name, directive[2] or "", number))
            continue
        if not pending:
            start = number
        if line.rstrip().endswith("\\"):
            pending += line.rstrip()[:-1] + " "
            continue
        array = _ARRAY.match(pending + line)
        if array is not None and ")" not in _without_comment(array[2]):
            pending += _without_comment(line) + " "
            continue
        if array is not None:
            content = _without_comment(array[2]).rpartition(")")[0]
            held = script.setting(array[1]) if "+=" in (pending + line).partition("(")[0] else None
            value = f"{held.value} {content}" if held is not None else content
            script.settings.append(Setting(array[1], value.strip(), path, start))
        else:
            _read_line(script, pending + line, start)
        pending = ""
    return script


def _without_comment(line: str) -> str:
    """Return a line of an array up to its comment."""
    return re.sub(r"(^|\s)#.*$", "", line)


def _or_default(value: str) -> str:
    """Return what `${NAME:-value}` is where NAME is not set, any other text as it is."""
    default = re.fullmatch(r"\$\{\w+:?-([^${}]+)\}", value.strip("\"'"))
    return default[1] if default is not None else value


def _expanded(script: Script, given: list[str], depth: int = MAX_EXPANSIONS) -> list[str]:
    """Return a command's words, with those of variables of the script that hold several of them."""
    found: list[str] = []
    for word in given:
        name = _VARIABLE.match(word)
        held = script.setting(name[1]) if name is not None and depth else None
        value = _or_default(held.value if held is not None else word)
        several = held is not None and (value.startswith("-") or " " in value)
        if (several or (value != word and _PROGRAM.search(value))) and "$(" not in value:
            found += _expanded(script, words(value), depth - 1)
        else:
            found.append(word)
    return found


def _read_line(script: Script, line: str, number: int, *, outside: str = "") -> None:
    """Read a line of a script, or of what `srun bash -c` is given: each of its commands is started from outside."""
    stripped = line.strip()
    if not stripped or stripped.startswith("#"):
        return
    each_node = "srun" in outside
    for part in parts(stripped):
        exported = re.sub(r"^(export|declare -x)\s+", "", part)
        given = words(exported if exported != part else outside + part)
        found = [Setting(name, value, script.path, number, each_node) for name, value in assigned(part, given)]
        script.settings.extend(found)
        while given and (ASSIGNS.match(given[0]) is not None or given[0] in _LEADS):
            given = given[1:]
        before, inner = nested(given)
        if inner:
            for index, line_inside in enumerate(inner):
                _read_line(script, line_inside, number + index, outside=before)
        elif given and given[0] not in ("fi", "done", "echo", "for", "cd", "source", ":"):
            script.commands.append(Command(tuple(_expanded(script, given)), number))
