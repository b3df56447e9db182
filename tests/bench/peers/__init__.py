"""Who finds which kind of change, on the same builds; see `python -m tests.bench.peers`."""
