"""Compiled vocabulary of trees: nodes, tables, splits, leaves, the memory limit, files."""
