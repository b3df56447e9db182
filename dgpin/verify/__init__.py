"""Everything that a reviewer would ask of a pin, or of a move before it is written."""
