"""Compiled vocabulary: examples, feature names, labels, weights, blocks of rows."""
