"""One module per experiment of `onstream experiment`; `cli/experiment.py` finds it by its file.

A module has a docstring (what it is about), QUESTION (the one it answers), and
`run(lab: Lab) -> Outcome`. Its page is docs/experiments/<name>.md.
"""
