"""Find every use of the API in a host's Python files; nothing of the host is imported or run."""
