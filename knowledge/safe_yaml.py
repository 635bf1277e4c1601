"""The one way in which the knowledge base reads YAML: plain data, in C where it is there."""

from typing import Any

import yaml

_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def parse_yaml(text: str) -> Any:
    """Return what a YAML text says: mappings, lists, strings, numbers, nothing that runs.

    Raises:
        yaml.YAMLError: The text is no YAML.
    """
    loader = _Loader(text)
    try:
        return loader.get_single_data()
    finally:
        loader.dispose()
