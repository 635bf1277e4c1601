"""Throughput: how fast a training run goes, and what bounds it.

`work` counts a step's floating-point operations and memory traffic, `volume` its bytes on
the links, `links` the time of a collective; `rates` holds the few fitted numbers, and
`speed` puts them together. It lives inside sizing because the search weighs speed against
memory, and engines do not import each other.
"""
