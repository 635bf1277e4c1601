"""The table of the laboratory: every fault, the cause that must be named first, and how it is mended."""

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.faults.fault import Fault


@contextmanager
def _a_port_that_is_held(folder: Path) -> Iterator[dict[str, Any]]:
    with socket.create_server(("", 0)) as holder:
        yield {"script": {"args": [str(holder.getsockname()[1])]}}


FAULTS = (
    Fault(
        name="rank_guard",
        cause="rank-conditional-collective",
        made="rank 0 alone gathers the full state dict at step 3; the group's time-out is 15 s",
        mend="all ranks gather, rank 0 writes",
        edits=((" and rank == 0", ""),),
    ),
    Fault(
        name="dtype_mismatch",
        cause="inputs-not-cast-in-container",
        made="parameters are gathered in bf16, the inputs stay fp32",
        mend="let the policy cast the inputs",
        edits=((", cast_forward_inputs=False", ""),),
    ),
    Fault(
        name="optimizer_before_shard",
        cause="optimizer-holds-wrong-params",
        made="the optimizer is built before fully_shard; the script asserts that the loss goes down",
        mend="build the optimizer after fully_shard",
        edits=(
            ("    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)\n", ""),
            ("    inputs = ", "    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)\n    inputs = "),
        ),
    ),
    Fault(
        name="mixed_tensor_dtensor",
        cause="mixed-tensor-and-dtensor",
        made="plain copies of the parameters from before they were sharded are subtracted from the sharded ones",
        mend="take the copies after fully_shard",
        edits=(
            ("    reference = [parameter.detach().clone() for parameter in model.parameters()]\n", ""),
            (
                "    optimizer = ",
                "    reference = [parameter.detach().clone() for parameter in model.parameters()]\n    optimizer = ",
            ),
        ),
    ),
    Fault(
        name="port_in_use",
        cause="master-port-in-use",
        made="the script's ranks meet at a fixed port that another process holds",
        mend="take the launcher's address and port",
        edits=(
            ('    os.environ["MASTER_ADDR"] = "127.0.0.1"\n', ""),
            ('    os.environ["MASTER_PORT"] = sys.argv[1] if len(sys.argv) > 1 else "29500"\n', ""),
            ('    os.environ["TORCHELASTIC_USE_AGENT_STORE"] = "False"\n', ""),
        ),
        around=_a_port_that_is_held,
        quick=True,
    ),
)
"""Every fault of the laboratory."""
