"""A run as a job of a batch system (Slurm): what is asked of it, and what happens on its nodes.

```
client          writes the run folder and the sbatch script, journals its intent, calls sbatch
 slurmctld      queues, starts, preempts, requeues: scheduling stays there
  batch step    on the first node: the supervisor checks the approval, examines the nodes, and
                starts srun as its launcher; journal, watching and restarts are those of
                `runners.supervisor`
   srun         one task on each node
    node        fills in what differs from node to node, and becomes torchrun
     ranks
```
Client and nodes share the run folder and nothing else. `calls`, `jobs`, `submissions`,
`script` and `handing_over` are used on both sides; `record` by the client; the others on
the nodes. All but `record` is standard library only, `node` depends on nothing of ours:
it runs in the training interpreter.
"""
