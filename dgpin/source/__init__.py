"""DeepGEMM trees: mirrors, refs and files at a commit."""
