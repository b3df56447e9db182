"""Do the sites agree, and do they fit the source they pin? One verdict a row."""

import re
from collections.abc import Iterator
from pathlib import PurePosixPath

from dgpin.config import FILE as CONFIG
from dgpin.config import Config
from dgpin.pin import comments, exports, hazards, judge, template, worktree
from dgpin.pin.comments import Block, Truth
from dgpin.pin.facts import Facts
from dgpin.pin.host import Fit, Host
from dgpin.pin.pinned import Pinned, disagreements
from dgpin.pin.sites import Problem, Reading
from dgpin.pin.stray import Search
from dgpin.verdict import Place, Row, Verdict

_AGREE = ("repo", "slug", "commit", "wheel", "version")
_SHALLOW = re.compile(r"GIT_SHALLOW\s+(?:TRUE|ON|YES|1)\b", re.IGNORECASE)
# The first one of a line, and the rest of that line.
_CLONE = re.compile(r"^[^#\n]*?\bgit\s+clone\b([^\n]*)", re.MULTILINE)
_CHECKOUT = re.compile(r"^[^#\n]*\bgit\s+(?:checkout|reset\s+--hard)\b", re.MULTILINE)
_UPDATE = re.compile(r"^[^#\n]*\bgit\s+submodule\s+update\b", re.MULTILINE)


def check(
    host: Host, fit: Fit, pinned: Pinned, facts: Facts | None, *, search: Search
) -> tuple[Row, ...]:
    """Return every verdict on a host's pin. `facts` are those of the pinned commit, if known.

    `search` is asked only for files that the host no longer has, and for readers of a variable that
    no site's file reads.
    """
    reading, config = fit.reading, fit.config
    blocks = comments.blocks(reading)
    return (
        *_problems(reading),
        *_unstated(host, reading, pinned),
        *_agreement(pinned),
        *_configured(pinned, config),
        *_form(reading, pinned),
        *judge.judge(reading, facts),
        *_lists_agree(reading),
        *_recorded(pinned, facts),
        *_comments(blocks, config, pinned, facts),
        *_gone_files(host, blocks, config, search),
        *_submodule_order(reading),
        *exports.unread(reading, search),
        *hazards.hazards(host, reading, pinned.commit or ""),
    )


def _row(rule: str, *, ok: bool, message: str, places: tuple[Place, ...], hint: str) -> Row:
    verdict = Verdict.PASS if ok else Verdict.FAIL
    return Row(rule=rule, verdict=verdict, message=message, places=places, hint="" if ok else hint)


def _problems(reading: Reading) -> Iterator[Row]:
    for found in reading.found:
        if found.problem is None:
            continue
        watch = found.entry.watch
        twice = found.problem is Problem.TWICE
        yield Row(
            rule="watch-missing" if watch else "site-missing",
            verdict=Verdict.FAIL,
            message=f"`{found.entry}`: {found.problem.value}",
            places=reading.near(found) or (Place(found.entry.path),),
            hint="Name the text that stands there more exactly in dgpin.toml."
            if twice
            else "Mend the line, or the entry in dgpin.toml (`dgpin init` writes one to edit).",
        )


def _unstated(host: Host, reading: Reading, pinned: Pinned) -> Iterator[Row]:
    """A pin that is nowhere: every other row would be silent on it."""
    link = reading.config.gitlink
    if link is not None and Place(link) not in pinned.places("commit"):
        is_git = worktree.is_git(host.root)
        yield Row(
            rule="site-missing",
            verdict=Verdict.FAIL if is_git else Verdict.UNKNOWN,
            message="git records no submodule there"
            if is_git
            else "git alone tells the submodule's commit, and the host is no git work tree",
            places=(Place(link),),
            hint="Name the submodule's path in dgpin.toml: [pin] gitlink."
            if is_git
            else "Ask in a clone of the host.",
        )
    elif pinned.ref is None and not reading.problems:
        yield Row(
            rule="site-missing",
            verdict=Verdict.FAIL,
            message="no site states the pin: a commit, a version or a wheel",
            places=(Place(reading.config.source),),
            hint=_NOWHERE,
        )


_NOWHERE = "Name the place in dgpin.toml: docs/how-to/pin-deepgemm.md shows how."


def _agreement(pinned: Pinned) -> Iterator[Row]:
    for fact in _AGREE:
        if fact not in pinned.stated:
            continue
        odd = disagreements(pinned, fact)
        if odd:
            message = "; ".join(f"{', '.join(map(str, odd[value]))} says {value}" for value in odd)
            places = tuple(place for places in odd.values() for place in places)
        else:
            value = max(pinned.stated[fact], key=len)
            places = pinned.places(fact)
            message = (
                f"{len(places)} sites say {value}" if len(places) > 1 else f"one site: {value}"
            )
        yield _row(
            "sites-agree",
            ok=not odd,
            message=f"{fact}: {message}",
            places=places,
            hint="`dgpin bump REF` writes one value to all of them"
            + (" (with --from SHA for what it was)." if fact == "commit" else "."),
        )


def _configured(pinned: Pinned, config: Config) -> Iterator[Row]:
    if config.is_preset or config.repo is None or not pinned.stated.get("repo"):
        return
    odd = [value for value in pinned.stated["repo"] if value != config.repo]
    yield _row(
        "configured-repo",
        ok=not odd,
        message=f"the pin's repository is {config.repo} by {config.source}"
        + (f"; the sites say {', '.join(odd)}" if odd else ""),
        places=pinned.places("repo"),
        hint="`dgpin bump` moves the sites there, or set [pin] repo to what they say.",
    )


def _form(reading: Reading, pinned: Pinned) -> Iterator[Row]:
    """A commit where only a branch or tag works: CMake's GIT_SHALLOW fetches by name."""
    for site in reading.sites("commit", watch=False):
        text = reading.texts[site.entry.path]
        statement = _statement(text, site.hole.start)
        shallow = next(
            (each for each in _SHALLOW.finditer(text, *statement) if not _in_comment(text, each)),
            None,
        )
        if shallow is not None:
            yield Row(
                rule="commit-form",
                verdict=Verdict.FAIL,
                message="GIT_SHALLOW works with branches and tags; a commit is then not found",
                places=(
                    site.place,
                    Place(site.entry.path, template.line_of(text, shallow.start())),
                ),
                hint="Take GIT_SHALLOW out of the block.",
            )
            return
    places = pinned.places("commit")
    if places:
        length = len(pinned.commit or "")
        yield _row(
            "commit-form",
            ok=True,
            message=f"a commit of {length} digits, where its sites take one",
            places=places[:1],
            hint="",
        )


def _statement(text: str, offset: int) -> tuple[int, int]:
    """Return the offsets of the CMake call around an offset, from its `(` to its `)`."""
    start = text.rfind("(", 0, offset)
    end = text.find(")", offset)
    return max(start, 0), len(text) if end < 0 else end


def _in_comment(text: str, found: "re.Match[str]") -> bool:
    return "#" in text[text.rfind("\n", 0, found.start()) + 1 : found.start()]


def _lists_agree(reading: Reading) -> Iterator[Row]:
    """The lists name the same submodules: what is included must have been checked out."""
    submodules = reading.sites("submodules", watch=False)
    if not submodules:
        return
    named = {site.hole.value for site in submodules}
    top = next(iter(named)).split("/")[0] + "/"
    odd = [
        site
        for site in reading.sites("includes", "headers", watch=False)
        if site.hole.value.startswith(top)
        and not any(site.hole.value.startswith(f"{name}/") for name in named)
    ]
    words = ", ".join(sorted({site.hole.value for site in odd}))
    yield _row(
        "lists-agree",
        ok=not odd,
        message=f"{words} is in no submodule of the list: {', '.join(sorted(named))}"
        if odd
        else "what is included from submodules is in the list of submodules",
        places=(*(site.place for site in odd), submodules[0].place),
        hint="`dgpin bump` with the pinned commit brings the lists in step.",
    )


def _recorded(pinned: Pinned, facts: Facts | None) -> Iterator[Row]:
    if facts is None or not facts.items("submodules"):
        return
    lost = [
        path
        for path in facts.items("submodules")
        if facts.scalar(f"{PurePosixPath(path).name}.commit") is None
    ]
    yield _row(
        "submodules-recorded",
        ok=not lost,
        message=f"the commit records no commit for {', '.join(lost)}"
        if lost
        else "the commit records one commit for each submodule that it needs",
        places=pinned.places("commit")[:1],
        hint="Pin a commit whose submodules are recorded; this one cannot be built the same twice.",
    )


def _comments(
    blocks: tuple[Block, ...], config: Config, pinned: Pinned, facts: Facts | None
) -> Iterator[Row]:
    known = comments.known_branches(config)
    named = {block: comments.named_branches(block, known) for block in _about_commit(blocks)}
    branch = config.branch(pinned.repo)
    telling = {block: names for block, names in named.items() if names}
    if len(set(telling.values())) > 1:
        spoken = "; ".join(f"{b.place} says {', '.join(sorted(n))}" for b, n in telling.items())
        yield _comment_row(f"the comments contradict each other: {spoken}", tuple(telling))
    for block, names in telling.items():
        if branch is not None and comments.folded(branch) not in names:
            told = ", ".join(sorted(names))
            yield _comment_row(
                f"the comment names {told}; {pinned.repo} is followed on {branch}", (block,)
            )
    if facts is not None:
        truth = Truth(facts=facts, branch=branch, other_branches=frozenset())
        for block in blocks:
            for word in comments.stale(block, truth):
                yield Row(
                    rule="comment",
                    verdict=Verdict.FAIL,
                    message=f"the comment says {word.word}; {word.why}",
                    places=(word.place,),
                    hint=_COMMENT_HINT,
                )


_COMMENT_HINT = "Mend the comment; `dgpin bump REF --note TEXT` writes it anew with the pin."


def _about_commit(blocks: tuple[Block, ...]) -> tuple[Block, ...]:
    return tuple(
        block for block in blocks if any(site.hole.fact == "commit" for site in block.sites)
    )


def _comment_row(message: str, blocks: tuple[Block, ...]) -> Row:
    return Row(
        rule="comment",
        verdict=Verdict.FAIL,
        message=message,
        places=tuple(block.place for block in blocks),
        hint=_COMMENT_HINT,
    )


def _gone_files(
    host: Host, blocks: tuple[Block, ...], config: Config, search: Search
) -> Iterator[Row]:
    """Texts that send the reader to a file that is gone: comments, and mentions of lost sites."""
    for block in blocks:
        for place, path in comments.named_files(block):
            if not path.startswith(_SOURCES_OWN) and not (host.root / path).exists():
                yield _gone(path, place)
    lost = sorted(
        {
            entry.path
            for entry in config.entries
            if entry.file_optional and not (host.root / entry.path).exists()
        }
    )
    if lost:
        for path, number, line in search(lost):
            if path == CONFIG:  # it says itself that the file may be absent
                continue
            named = next((gone for gone in lost if gone in line), None)
            if named is not None:
                yield _gone(named, Place(path, number))


# Directories of DeepGEMM: a comment that names a file there speaks of the source.
_SOURCES_OWN = ("csrc/", "deep_gemm/", "third-party/")


def _gone(path: str, place: Place) -> Row:
    return Row(
        rule="gone-file",
        verdict=Verdict.FAIL,
        message=f"the text names {path}, which the host no longer has",
        places=(place,),
        hint="Say what takes its place, or drop the sentence.",
    )


def _submodule_order(reading: Reading) -> Iterator[Row]:
    """A clone with submodules, then a checkout: the submodules stay at the clone's commits."""
    for path in dict.fromkeys(site.entry.path for site in reading.sites("commit", watch=False)):
        text = reading.texts[path]
        clone = next((each for each in _CLONE.finditer(text) if "--recurs" in each[1]), None)
        checkout = _CHECKOUT.search(text, clone.end()) if clone else None
        if clone is None or checkout is None:
            continue
        ok = _UPDATE.search(text, checkout.end()) is not None
        lines = (template.line_of(text, clone.start()), template.line_of(text, checkout.start()))
        yield _row(
            "submodule-order",
            ok=ok,
            message="the submodules are brought to the commit that is checked out"
            if ok
            else "clone --recursive, then checkout: the submodules stay at the branch's commits",
            places=tuple(Place(path, line) for line in lines),
            hint="After the checkout: git submodule sync; git submodule update --init --recursive",
        )
