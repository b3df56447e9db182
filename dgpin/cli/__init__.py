"""Arguments in, exit code out; one module a command."""
