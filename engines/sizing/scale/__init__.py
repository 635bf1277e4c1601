"""Scale: what many machines add to a plan.

`meshes` weighs full sharding, HSDP and resharding within a machine; `curve` is the expected
speed over numbers of machines; `interval` has the formulas of checkpointing under failures,
`saving` applies them to a job; `outlook` puts all of it together for a plan. It lives inside
sizing because it weighs speed against memory, and engines do not import each other.
"""
