"""Pipelines that run smoke on every architecture and join what it finds."""
