"""Reference implementations in plain NumPy, written from the papers' formulas, slow and clear."""
