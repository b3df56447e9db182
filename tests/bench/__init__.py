"""Measured side by side in one run; see `python -m tests.bench --help`."""
