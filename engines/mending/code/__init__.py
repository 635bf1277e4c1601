"""Mends of a user's script, by kinds of faults. Each looks for its pattern in the syntax tree and changes its lines."""
