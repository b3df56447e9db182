"""The public API of a build: how it is read, how two of them differ, who breaks."""
