"""Edits of the small host, and disks on which they fail."""

from pathlib import Path

from dgpin import files
from dgpin.files.disk import Disk


def write(root: Path, *edits: files.Edit) -> None:
    with files.locked(root, command="bump") as tree:
        tree.apply(edits)


def edit(path: str, old: bytes | None = b"old a\n", new: bytes = b"new\n") -> files.Edit:
    return files.Edit(path=path, old=old, new=new)


def refusing(call: str, error: BaseException) -> Disk:
    """Return a disk on which one kind of call fails."""

    def refuse(*_: object) -> None:
        raise error

    return type("Refusing", (Disk,), {call: refuse})()  # type: ignore[no-any-return]


def names(root: Path) -> list[str]:
    return sorted(
        path.relative_to(root).as_posix()
        for path in root.rglob("*")
        if not path.relative_to(root).as_posix().startswith(".git/HEAD")
    )
