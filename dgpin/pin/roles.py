"""What a site is for: which image, script or page it feeds."""

import re
from enum import Enum
from pathlib import PurePosixPath


class Role(str, Enum):
    """What happens with the value at a site."""

    BUILD = "build"
    INSTALL = "install"
    IMAGE = "image"
    TEST = "test"
    DEV = "dev"
    DOCS = "docs"


# In this order: a README in docker/ is read, not built.
_RULES = (
    (Role.DOCS, r"(?:^|/)docs?/|\.(?:md|rst|mdx)$|(?:^|/)recipes/"),
    (Role.DEV, r"(?:^|/)\.devcontainer/"),
    (Role.TEST, r"(?:^|/)(?:tests?|\.buildkite|\.github|ci)/"),
    (Role.IMAGE, r"(?:^|/)[^/]*Dockerfile[^/]*$"),
    (Role.INSTALL, r"(?:^|/)(?:install|prepare)[^/]*\.sh$|(?:^|/)requirements[^/]*$"),
)


def role(path: str) -> Role:
    """Return the role of a site by its file: `tools/install_x.sh` installs, `docs/` is read."""
    name = str(PurePosixPath(path))
    return next((found for found, rule in _RULES if re.search(rule, name)), Role.BUILD)


def is_production(found: Role) -> bool:
    """Return whether what ships is made with a site of this role."""
    return found in {Role.BUILD, Role.INSTALL, Role.IMAGE}
