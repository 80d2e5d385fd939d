"""Kernels: similarities of vectors, strings, trees, graphs, and of pairs of these."""
