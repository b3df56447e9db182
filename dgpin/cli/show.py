"""`dgpin show`."""

from dgpin.cli.exit import DONE
from dgpin.cli.host import HostOption, open_host
from dgpin.cli.output import JsonOption, OutputOption, parse, write
from dgpin.pin import worktree
from dgpin.pin.pinned import read_pinned
from dgpin.pin.show import show as gather
from dgpin.render import show as shown


def show(host: HostOption = None, *, output: OutputOption = None, json: JsonOption = False) -> int:
    """Which DeepGEMM is this? The pin, its sites, and the distance to the branch it follows."""
    forms = parse(output, json=json, known=shown.FORMS)
    found, fit = open_host(host, lenient=True)
    link = worktree.gitlink(found.root, fit.config.gitlink) if fit.config.gitlink else None
    answer = gather(found.root, fit, read_pinned(fit.reading, gitlink=link))
    write(shown.renderers(answer), forms)
    return DONE
