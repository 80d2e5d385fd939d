"""Fuzzers of the project's own: random work on everything public, with invariants.

A fuzzer is a module of this folder with one function, `attempt(random)`: it makes one case from the
generator it is given, does it, and asserts what must hold; whatever else it raises is a fault.
`make fuzz` runs them all for a while, `make test` a few cases of each.
"""
