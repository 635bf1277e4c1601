"""A small abstract interpreter over `ast`: what a program would call, on what, in which order.

Nothing of the reviewed code is imported or run. Why `ast` and not libcst: the rules need
values, order and positions, never the exact white space (suggested edits replace single
lines by position); `ast.parse` is several times faster, needs no dependency, and the 1,000
files a review may be given leave 30 ms for each.

How it works. Statements are executed once with abstract values. Names are resolved through
imports, so a value knows whether it is torch's `fully_shard` or a namesake. Calls of the
project's own functions are followed (arguments, returns, methods, other files); every other
call becomes an `Event` in a `Trace`, with the branches that it depends on (`Guard`), the
loops and `with` blocks around it and the call sites above it. Both arms of a branch run,
one after the other, on copies of the variables that are joined afterwards: two events are on
one path unless they sit in different arms of one condition. Rules ask the trace; where it
cannot know (an unresolved callee, a spent budget) it has no event, and rules stay silent.

```
values.py       what an expression may be
names.py        one canonical name for each of torch's import paths
trace.py        Event, Guard, Trace: what happened, in order, under what conditions
project.py      the files given: parsing on demand, import resolution
core.py         state of the machine and the parts that its mix-ins share
attributes.py   attribute access, elements, class members
expressions.py  comprehensions.py  calls.py  externals.py  iterations.py  methods.py  statements.py
lifetimes.py    how long the tree and the values of each file are kept
chosen.py       which modules a condition lets through, by class
ranks.py        which values differ between ranks, and which conditions therefore part them
schedule.py     what is executed: modules, then functions and classes that nobody calls
sharding.py     which modules are sharded, by which API, before which event
```
"""
