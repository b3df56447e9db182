"""Compile DeepGEMM's `_C`, and say everything that is missing first."""
