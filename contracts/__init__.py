"""The words of the product: one file for each, and nothing that acts.

A contract is a frozen pydantic model whose fields say their unit. Contracts know
nothing of LangGraph, of torch or of files; every other package may import them.
"""
