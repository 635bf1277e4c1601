"""ReviewSettings: what a project has decided about its reviews."""

from pydantic import Field

from contracts.base import Contract


class ReviewSettings(Contract):
    """`[tool.fsdp-agent.review]` of a pyproject.toml; rules are named by id or by the start of one ("HF2")."""

    select: tuple[str, ...] = ()
    """Rules that are applied; all where empty."""
    ignore: tuple[str, ...] = ()
    """Rules that are not applied, also where they are selected."""
    torch: str | None = Field(default=None, pattern=r"^[0-9]+(\.[0-9]+){0,2}$")
    """Version of torch that the code is for."""
    paths: tuple[str, ...] = ()
    """Files and folders that are reviewed where none is named; relative to the file."""
    exclude: tuple[str, ...] = ()
    """Patterns of paths, relative to the file, that are not read: `tests/*`, `**/generated_*.py`."""
    baseline: str | None = None
    """File of findings that are known and not reported; relative to the file."""

    def applies(self, rule: str) -> bool:
        """Tell whether a rule is applied.

        Args:
            rule: Its id.
        """
        chosen = not self.select or rule.startswith(self.select)
        return chosen and not (self.ignore and rule.startswith(self.ignore))
