"""Coverage-guided fuzzing of everything that dgpin reads and did not write: `make fuzz`."""
