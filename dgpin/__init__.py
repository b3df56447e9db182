"""Move, prove and guard the DeepGEMM pin of a project."""

__version__ = "0.1.0"
