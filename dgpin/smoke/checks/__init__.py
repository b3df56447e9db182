"""The checks, one file each: a `CHECK` that says what it is, and a `run`."""
