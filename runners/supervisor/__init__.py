"""One process for each run, which outlives whoever started it.

```
client (exits when it likes)
 supervisor   detached, holds the run folder's lock, adopts orphans, writes the journal
  shim        records the launcher's pid, writes its exit status; outlives the supervisor
   launcher   torchrun, or whatever the approved argv says
    ranks
```
A supervisor is sent to see one numbered start through. It may be sent again at any time,
by any number of clients: a start that has ended is left alone, one that still runs is
adopted, and only the one that holds the lock acts. A start that fails is followed by
another where the approved policy says so (`policy`), one that hangs is found by its
silence (`pulse`), written down (`evidence`) and ended. Standard library only, started with
`-I -S`: it depends on nothing that is installed, and stays below 40 MB.
"""
