"""A process group of one: enough for kernels that could span GPUs and here do not."""


class Alone:
    """What DeepGEMM's symmetric buffers ask of a group."""

    def size(self) -> int:
        """Return how many ranks there are."""
        return 1

    def rank(self) -> int:
        """Return which of them this is."""
        return 0

    def barrier(self) -> None:
        """Wait for nobody."""
