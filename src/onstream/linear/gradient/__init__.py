"""Gradient learning: linear models by stochastic gradients of a loss."""
