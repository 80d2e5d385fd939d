"""How fast onstream is beside its peers, measured in one run on one machine.

    python -m benchmarks                          every family, rewrites docs/benchmarks.md
    python -m benchmarks --family linear          one family; the sections of the others stay
    python -m benchmarks --resume                 the rest of a run that was interrupted
    python -m benchmarks --only covtype --quick   a look: prints, writes nothing

A family is one file in ``families/``: ``TITLE``, ``ROWS`` and ``IMPORTS``. A row sets one side of
onstream against one or more rivals; every side is a ``Contestant`` in a process of its own, and
the harness asks them in turn for one repetition at a time, so a disturbance of the machine hits
all of them alike.

To add a row, add a ``Row`` to ``ROWS`` of its family (and a ``Contestant`` if the work is new).
To add data, add a function to ``data.py``. To add a peer, add one line to ``environments.PEERS``.

The modules, in the order of a run: ``environments`` (the peers), ``data`` (arrays on disk),
``worker`` (one side), ``harness`` (all sides in turn), ``results`` (ratios, verdicts), ``page``
and ``pictures``.
"""
