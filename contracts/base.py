"""What every contract has in common."""

from pydantic import BaseModel, ConfigDict


class Contract(BaseModel):
    """A frozen record that refuses fields it does not know.

    The docstring under each field becomes its description in the JSON Schema.
    """

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        use_attribute_docstrings=True,
        allow_inf_nan=False,
        protected_namespaces=(),
    )
