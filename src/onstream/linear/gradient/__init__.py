"""Gradient learning: linear models by stochastic gradients of a loss (spec 6.2, 7, 9)."""
