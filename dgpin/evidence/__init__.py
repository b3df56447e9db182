"""Evidence: the JSON that other commands write, read back and joined into one verdict."""
