"""One file per family of learners: its ``TITLE``, ``ROWS`` and ``IMPORTS``."""
