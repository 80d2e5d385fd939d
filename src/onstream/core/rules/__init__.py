"""Mathematics that linear and kernel learners share: inline, in `.pxd` files."""
