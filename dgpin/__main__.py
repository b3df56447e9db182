"""`python -m dgpin`."""

from dgpin.cli.app import run

run()
