"""Studies: a larger question is taken apart, and what was found out is put together again.

`decompose` reads from a question which options are weighed and under which conditions, and
makes the matrix of what has to be estimated. The numbers come from elsewhere (`cells.Cell`);
`conclude` compares them with their errors and writes the Study. Nothing here predicts,
looks up or runs anything.
"""
