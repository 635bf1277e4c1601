"""The topology: what is exported, what a front end can draw, and that the drawing is up to date."""

import inspect
from itertools import pairwise
from pathlib import Path
from typing import get_type_hints

import pytest

from graph.build import builder, graph
from graph.drawing import page
from graph.state import Input, Output, State

ROOT = Path(__file__).parents[3]
VERBS = {
    "assess", "research", "plan", "trial", "diagnose", "review", "approve", "execute", "watch", "compare", "report",
    "mend",
}  # fmt: skip


def test_the_exported_graph_has_no_checkpointer() -> None:
    assert graph.checkpointer is None


def test_a_node_is_a_file_with_a_function_of_its_name() -> None:
    assert set(builder.nodes) == VERBS
    for verb in VERBS:
        assert (ROOT / "nodes" / f"{verb}.py").is_file()
        function = builder.nodes[verb].runnable.func
        assert (function.__module__, function.__name__) == (f"nodes.{verb}", verb)


@pytest.mark.parametrize("verb", sorted(VERBS))
def test_a_node_reads_and_writes_keys_that_the_state_has(verb: str) -> None:
    function = builder.nodes[verb].runnable.func
    hints = get_type_hints(function)
    known = set(get_type_hints(State))
    reads, writes = set(get_type_hints(hints["state"])), set(get_type_hints(hints["return"]))
    assert reads <= known
    assert writes <= known
    assert builder.nodes[verb].input_schema is hints["state"]
    source = inspect.getsource(inspect.getmodule(function))
    assert all(f'"{key}"' in source or f"{key}=" in source for key in writes)


def test_every_node_says_what_it_does() -> None:
    assert all((node.metadata or {}).get("description") for node in builder.nodes.values())


def test_the_schemas_that_clients_see() -> None:
    assert set(graph.get_input_jsonschema()["properties"]) == {"request", "messages"} == set(get_type_hints(Input))
    assert set(graph.get_output_jsonschema()["properties"]) == set(get_type_hints(Output))
    assert set(graph.get_context_jsonschema()["properties"]) == {"home", "interpreter"}
    # the record with its seal stays inside
    assert "approval" not in get_type_hints(Output)


def test_the_page_in_docs_is_the_graph() -> None:
    page_in_docs = (ROOT / "docs" / "graph.md").read_text(encoding="utf-8")
    assert page_in_docs == page(), "run: python -m graph.drawing > docs/graph.md"


def test_every_edge_of_the_design_is_there() -> None:
    edges = {(edge.source, edge.target) for edge in graph.get_graph().edges}
    path = ["__start__", "assess", "plan", "review", "approve", "execute", "watch", "report", "__end__"]
    assert set(pairwise(path)) <= edges
    assert {("watch", "diagnose"), ("diagnose", "mend"), ("mend", "plan"), ("mend", "report")} <= edges
    assert {("approve", "approve"), ("watch", "watch")} <= edges
    assert {("plan", "trial"), ("trial", "review"), ("watch", "compare"), ("compare", "report")} <= edges
    assert not {edge for edge in edges if edge[1] == "execute"} - {("__start__", "execute"), ("approve", "execute")}
