"""Uses: every place in a host that reaches DeepGEMM, as values."""

from dataclasses import dataclass
from enum import Enum

from dgpin.verdict import Place


class Form(str, Enum):
    """How a place reaches the API."""

    IMPORT = "import"
    DYNAMIC_IMPORT = "dynamic-import"  # import_module, __import__, importorskip
    FIND_SPEC = "find-spec"
    READ = "read"  # an attribute that is not called on the spot
    CALL = "call"
    GETATTR = "getattr"
    HASATTR = "hasattr"
    PARAMETER = "parameter-probe"  # "name" in signature(x).parameters
    PATCH = "patch"  # a name of the library is replaced
    FAKE = "fake"  # a name of a test double
    DYNAMIC = "dynamic"  # a name that is known at run time only
    KEYWORD = "keyword"  # `name=x or C` to something of the host; no use yet, it may lead to one


class Then(str, Enum):
    """What a host does where something is missing or failed."""

    RAISES = "raises"
    RETURNS = "returns"
    GOES_ON = "goes on"


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What happens then: `detail` is the exception and its text, or the value returned."""

    then: Then
    exception: str = ""
    detail: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Handler:
    """An `except` (or `suppress`) around a use; `exceptions` are names without their module."""

    exceptions: tuple[str, ...]
    place: Place
    outcome: Outcome


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """A name of the API, and where the host got it.

    `optional`: got with a default, so that its absence is silent; `replaced`: by what is not None.
    A path through `()` is reached on the result of a call.
    """

    path: str
    place: Place
    optional: bool = False
    replaced: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Argument:
    """An argument: its text, and the type of a literal ("" when it is none).

    `instead` is C when the value is `x or C`, `instead_of` is x, and `instead_at` the line of that.
    """

    text: str
    type: str = ""
    instead: str = ""
    instead_of: str = ""
    instead_at: Place | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Guard:
    """A question asked before a use: this name (or this parameter of it) is there, or is not.

    A question for the version has the path of `__version__`; its answer is not worked out.
    """

    path: str
    place: Place
    parameter: str = ""
    absent: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Keyword:
    """An argument by name; not `certain` when only some runs pass it: those of its `guards`."""

    name: str
    argument: Argument
    certain: bool = True
    guards: tuple[Guard, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Arguments:
    """What a call passes; `open_*` tells that there may be more that is not known."""

    positional: tuple[Argument, ...] = ()
    keywords: tuple[Keyword, ...] = ()
    open_positional: bool = False
    open_keywords: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """A place from which a use is reached; `level` 1 calls its function, 2 calls that one's."""

    place: Place
    function: str
    line: str
    level: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Consumer:
    """A place that asks whether an optional name is there, and what it does when it is not."""

    place: Place
    function: str
    line: str
    outcome: Outcome


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """The lines of a `try` that must have raised one of these before a use is reached."""

    exceptions: tuple[str, ...]
    place: Place
    end_line: int

    @property
    def is_wide(self) -> bool:
        """Whether it is also for what a call raises that fits: for a kernel that fails, say."""
        return not _UNFIT.issuperset(self.exceptions)


# What a name that is not there, or a call that does not bind, raises; a torch op raises the
# RuntimeError of its kernels.
_UNFIT = frozenset({"TypeError", "AttributeError", "ImportError", "ModuleNotFoundError"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Use:
    """One place that reaches the API.

    `targets` are tried in order and the first that is there is used. `absent` is what the host
    does before the call when none is; None when it asks nothing. `via` is the call inside a
    wrapper that the arguments of this place end up in. `is_fallback`: a later leg of a chain, which
    its first leg speaks for. `is_one_of`: what is called depends on a run, and so may its
    arguments. `runs_at_import`: outside any function.
    """

    form: Form
    targets: tuple[Target, ...]
    place: Place
    end_line: int
    line: str
    function: str = ""
    parameter: str = ""
    arguments: Arguments | None = None
    handlers: tuple[Handler, ...] = ()
    guards: tuple[Guard, ...] = ()
    attempts: tuple[Attempt, ...] = ()
    absent: Outcome | None = None
    consumers: tuple[Consumer, ...] = ()
    callers: tuple[Caller, ...] = ()
    via: Place | None = None
    is_fallback: bool = False
    is_one_of: bool = False
    runs_at_import: bool = False
    in_test: bool = False

    @property
    def is_use(self) -> bool:
        """Whether it reaches the API itself, and not only what a call of it gave."""
        return self.form is not Form.KEYWORD and "()" not in self.path

    @property
    def path(self) -> str:
        """The name that is tried first."""
        return self.targets[0].path if self.targets else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Skipped:
    """A file that could not be read or parsed, and why; `is_there` unless it has gone."""

    path: str
    reason: str
    is_there: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Remark:
    """A comment that tells dgpin to leave a line alone: `# dgpin: ignore[rule] reason`."""

    place: Place
    rules: tuple[str, ...]
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Scan:
    """Every use in a host.

    `listed` counts its Python files, `parsed` those that mention the API.
    """

    uses: tuple[Use, ...]
    skipped: tuple[Skipped, ...] = ()
    remarks: tuple[Remark, ...] = ()
    listed: int = 0
    parsed: int = 0

    @property
    def places(self) -> int:
        """How many places reach the API."""
        return len({(use.place, use.path) for use in self.uses if use.is_use})

    @property
    def unread(self) -> tuple[Skipped, ...]:
        """The files that are there and whose uses, if any, are not known."""
        return tuple(skipped for skipped in self.skipped if skipped.is_there)

    @property
    def dynamic(self) -> tuple[Use, ...]:
        """The uses whose name nobody can know."""
        return tuple(use for use in self.uses if use.form is Form.DYNAMIC)
