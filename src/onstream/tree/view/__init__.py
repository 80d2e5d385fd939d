"""Trees for people: an outline as Python objects, drawn as text, Graphviz source or SVG."""
