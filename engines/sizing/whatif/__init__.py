"""What-if: questions of tuning, debugging and scale about a configuration, each answered as a table.

The questions are those that PyTorch's proposal of a memory tracker lists (pull request
125323), 14 of tuning and 3 of debugging, and 4 about several machines. One file each;
`questions` finds them by name, `case` holds what is asked about, `compare` makes the rows.
"""
