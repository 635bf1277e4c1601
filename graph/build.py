"""The topology, on one screen. Compiled without a checkpointer: who runs it brings one."""

from langgraph.graph import END, START, StateGraph

from contracts.settings import Settings
from graph import routes
from graph.state import Input, Output, State
from nodes.approve import approve
from nodes.assess import assess
from nodes.compare import compare
from nodes.diagnose import diagnose
from nodes.execute import execute
from nodes.mend import mend
from nodes.plan import plan
from nodes.report import report
from nodes.research import research
from nodes.review import review
from nodes.trial import trial
from nodes.watch import watch

builder = StateGraph(State, context_schema=Settings, input_schema=Input, output_schema=Output)


def _says(text: str) -> dict[str, str]:
    """Metadata that a drawing shows under the node."""
    return {"description": text}


builder.add_node("assess", assess, metadata=_says("Reads the request and judges whether FSDP is needed at all."))
builder.add_node("research", research, metadata=_says("Answers a question from cited cards; a larger one by a study."))
builder.add_node("plan", plan, metadata=_says("Chooses a configuration and writes the files of its launch."))
builder.add_node("trial", trial, metadata=_says("Puts the best configurations forward for a few steps each."))
builder.add_node("diagnose", diagnose, metadata=_says("Looks for the root cause of a failure."))
builder.add_node("mend", mend, metadata=_says("Changes what a run failed of, for a launch that is approved anew."))
builder.add_node("review", review, metadata=_says("Checks the plan and any code that was given."))
builder.add_node("approve", approve, metadata=_says("Asks a person to approve exactly this launch."))
builder.add_node("execute", execute, metadata=_says("Hands the approved launch to the runner, once."))
builder.add_node("watch", watch, metadata=_says("Waits for the run without holding a worker."))
builder.add_node("compare", compare, metadata=_says("Compares what was measured and takes the winner's plan."))
builder.add_node("report", report, metadata=_says("Writes the report and says the gist."))

builder.add_conditional_edges(START, routes.route_start)
builder.add_conditional_edges("assess", routes.route_assess)
builder.add_conditional_edges("research", routes.route_research)
builder.add_conditional_edges("plan", routes.route_plan)
builder.add_conditional_edges("trial", routes.route_trial)
builder.add_conditional_edges("review", routes.route_review)
builder.add_conditional_edges("approve", routes.route_approve)
builder.add_conditional_edges("execute", routes.route_execute)
builder.add_conditional_edges("watch", routes.route_watch)
builder.add_conditional_edges("compare", routes.route_compare)
builder.add_conditional_edges("diagnose", routes.route_diagnose)
builder.add_conditional_edges("mend", routes.route_mend)
builder.add_edge("report", END)

graph = builder.compile(name="fsdp-agent")
