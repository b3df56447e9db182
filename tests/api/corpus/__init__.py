"""Kinds of change, each with the smallest code that makes it and the finding that it must give."""
