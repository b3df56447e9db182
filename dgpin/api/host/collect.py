"""Walk the parsed modules of a host and write down every use."""

import ast
from collections.abc import Iterator
from dataclasses import replace

from dgpin.api.host import guards as surroundings
from dgpin.api.host import imports, patches, probes
from dgpin.api.host.argument import argument_of, instead_of
from dgpin.api.host.arguments import Reader
from dgpin.api.host.attempts import attempts
from dgpin.api.host.consumers import consumers, decided
from dgpin.api.host.doubles import doubles
from dgpin.api.host.evaluate import Evaluator
from dgpin.api.host.guards import Around
from dgpin.api.host.marks import Marks
from dgpin.api.host.module import How, Module, Scope
from dgpin.api.host.project import Project, called_name
from dgpin.api.host.reach import Reach
from dgpin.api.host.values import (
    LIBRARY,
    Api,
    Callable,
    Dotted,
    Partial,
    SignatureOf,
    Text,
    Value,
)
from dgpin.api.host.wrappers import Passed, rewrites, through
from dgpin.api.uses import Arguments, Form, Handler, Keyword, Outcome, Target, Then, Use

_PROBES = frozenset(
    {"getattr", "hasattr", "import_module", "__import__", "importorskip", "find_spec", "partial"}
    | {"setattr", "patch", "object", "setitem", "delattr", "find_loader", "reload"}
)
_DEEPEST = 2  # wrappers around wrappers
_MOST_EXPANDED = 64  # callers whose arguments are followed into one wrapper


class Collector:
    """One pass over a project."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self.evaluator = Evaluator(project)
        self.marks = Marks(project)
        self.reach = Reach(project, self.evaluator, self.marks)
        self.around = Around(self.evaluator, self.marks)
        self.reader = Reader(self.evaluator, self.around)
        self.spreading: set[Scope] = set()  # functions that hand their own arguments on

    def run(self) -> tuple[Use, ...]:
        """Return every use, by place."""
        self.reach.spread()
        found: dict[tuple[object, ...], Use] = {}
        for module in self.project.modules:
            for use in self._module(module):
                key = (use.form, use.place, use.parameter, use.via, _paths(use), use.arguments)
                found.setdefault(key, use)
        asked = consumers(self.project, self.evaluator, self.around, self.marks)
        uses = [
            replace(use, consumers=asked.get((use.path, use.place), ()))
            if use.form is Form.GETATTR
            else use
            for use in found.values()
        ]
        return tuple(sorted(uses, key=lambda u: (u.place, u.form.value, _paths(u), u.parameter)))

    def exports(self) -> dict[str, set[str]]:
        """Return what a file may import without a word of `deep_gemm`: names by module, that
        stand for the API, give it, or hand arguments on to it."""
        found: dict[str, set[str]] = {}
        worth = self.marks.reached(s.name.rpartition(".")[2] for s in self.spreading)
        for module in self.project.modules:
            if not module.names or any(LIBRARY in name for name in module.names):
                continue
            for name, bindings in module.top.bindings.items():
                imported = all(b.how is How.IMPORTED for b in bindings)
                if name not in worth or LIBRARY in name or (imported and not module.is_package):
                    continue
                values = self.evaluator.name(name, module.top, None)
                if any(self._is_carrier(value) for value in values):
                    found.setdefault(module.names[0], set()).add(name)
        return found

    def _is_carrier(self, value: Value) -> bool:
        if isinstance(value, Callable):
            if value.scope in self.spreading:
                return True
            given = self.evaluator.returned(value.scope, None)
            return any(isinstance(v, Api) and "()" not in v.path for v in given)
        return isinstance(value, (Api, Partial))

    def _module(self, module: Module) -> Iterator[Use]:
        for node, scope in module.imports:
            if not surroundings.is_for_checkers(module, node, scope):
                yield from imports.imported(self, node, scope)
        for read, scope in module.reads:
            if self.marks.carries(read.value, scope, result=True):
                yield from self._read(read, scope)
        for compare, scope in module.compares:
            if self.marks.carries(compare.comparators[0], scope):
                yield from self._parameter_probe(compare, scope)
        for call, scope in module.calls:
            if self._is_worth(call, scope):
                yield from self._call(call, scope)
            if call.keywords:
                yield from self._keywords(call, scope)

    def _keywords(self, call: ast.Call, scope: Scope) -> Iterator[Use]:
        """Yield `name=x or C`: what takes it may hand it on to the API under that name."""
        for keyword in call.keywords:
            if keyword.arg is None or not isinstance(keyword.value, (ast.BoolOp, ast.IfExp)):
                continue
            if instead_of(keyword.value, scope) is not None:
                use = self.use(Form.KEYWORD, (), keyword.value, scope)
                given = Keyword(name=keyword.arg, argument=argument_of(keyword.value, scope))
                passed = Arguments(keywords=(given,))
                yield replace(use, parameter=keyword.arg, arguments=passed)

    def _is_worth(self, call: ast.Call, scope: Scope) -> bool:
        """Whether a closer look at a call may find a use."""
        name = called_name(call)
        if name in _PROBES or (name == "dict" and isinstance(call.func, ast.Attribute)):
            return True
        return self.marks.calls(call, scope)

    def use(self, form: Form, targets: tuple[Target, ...], node: ast.AST, scope: Scope) -> Use:
        """Return a use at a node, with what stands around it."""
        module = scope.module
        place = module.place(node)
        function = next((s for s in scope.enclosing() if s.is_function), None)
        named = next((s for s in scope.enclosing() if s.is_function and s.name), None)
        return Use(
            form=form,
            targets=targets,
            place=place,
            end_line=getattr(node, "end_lineno", place.line) or place.line,
            line=module.line(place.line),
            function=named.name if named is not None else "",
            handlers=self.around.handlers(node, scope),
            guards=self.around.guards(node, scope),
            attempts=attempts(node, scope, self.around),
            callers=self.reach.callers(function) if function is not None else (),
            runs_at_import=function is None,
            in_test=module.is_test,
        )

    # Imports and reads ------------------------------------------------------------------------

    def _read(self, node: ast.Attribute | ast.Subscript, scope: Scope) -> Iterator[Use]:
        module = scope.module
        parent, name = module.parent(node)
        if isinstance(node, ast.Subscript):
            if isinstance(node.ctx, ast.Load) or not isinstance(parent, ast.Assign):
                return
            for value in self.evaluator.values(node, scope):
                if isinstance(value, Api) and value.path == LIBRARY:
                    yield self.use(Form.PATCH, value.targets, node, scope)
                    yield from doubles(self, value.path, parent.value, scope)
            return
        if isinstance(parent, ast.Attribute) and not parent.attr.startswith("__"):
            return
        if name == "func" and isinstance(parent, ast.Call):
            return
        for value in self.evaluator.values(node, scope):
            if not isinstance(value, Api) or value.targets[0].place != module.place(node):
                continue
            walks = _is_import(node, scope, value.path, self.evaluator)
            if walks or surroundings.is_for_checkers(module, node, scope):
                continue
            form = Form.READ if isinstance(node.ctx, ast.Load) else Form.PATCH
            yield self.use(form, value.targets, node, scope)

    def _parameter_probe(self, node: ast.Compare, scope: Scope) -> Iterator[Use]:
        if not isinstance(node.ops[0], (ast.In, ast.NotIn)):
            return
        owner = surroundings.listed(node.comparators[0])
        for path in self.around.joined(owner, node.left, scope) if owner is not None else ():
            yield self._question(Form.HASATTR, path, node, scope)
        for value in self.evaluator.values(node.comparators[0], scope):
            if not isinstance(value, SignatureOf):
                continue
            for name in self.evaluator.values(node.left, scope):
                if isinstance(name, Text):
                    use = self.use(Form.PARAMETER, value.of.targets, node, scope)
                    yield replace(use, parameter=name.text)

    def _question(self, form: Form, path: str, node: ast.expr, scope: Scope) -> Use:
        """Return a question for a name; `absent` where the answer no raises."""
        target = Target(path=path, place=scope.module.place(node))
        is_not_in = isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.NotIn)
        outcome = decided(node, scope, self.around, absent=is_not_in)
        raises = outcome is not None and outcome.then is Then.RAISES
        return replace(self.use(form, (target,), node, scope), absent=outcome if raises else None)

    # Calls ------------------------------------------------------------------------------------

    def _call(self, node: ast.Call, scope: Scope) -> Iterator[Use]:
        values = self.evaluator.values(node.func, scope)
        several = sum(isinstance(value, (Api, Partial)) for value in values) > 1
        for value in values:
            match value:
                case Api():
                    passed = self.reader.passed(node, scope)
                    for use in self._api_call(node, scope, value, passed):
                        yield replace(use, is_one_of=several)
                case Partial():
                    yield from self._partial_call(node, scope, value)
                case Dotted(path=path):
                    yield from self._outside(node, scope, path)
                case Callable(scope=inner):
                    yield from self._through_helper(node, scope, inner)
                case _:
                    pass
        yield from patches.replaced(self, node, scope)

    def _api_call(self, node: ast.Call, scope: Scope, value: Api, passed: Passed) -> Iterator[Use]:
        use = self.use(Form.CALL, value.targets, node, scope)
        if any(t.optional for t in value.targets):
            absent = self.around.absent(node.func, node, scope)
            if absent is None:
                absent = self._asked_by_callers(node.func, scope)
            if absent is None and value.targets[-1].replaced:
                absent = self.around.outcomes.never_returns(node, scope)
                absent = absent or Outcome(then=Then.GOES_ON, detail="its default is called")
            use = replace(use, absent=absent)
        whole = passed.arguments
        if not passed.hands_on_places and not passed.hands_on_names:
            yield replace(use, arguments=whole)
            yield from self._handed_on(use, scope, passed)
            return
        yield replace(
            use,
            arguments=replace(
                whole,
                open_positional=whole.open_positional or passed.hands_on_places,
                open_keywords=whole.open_keywords or passed.hands_on_names,
            ),
        )
        yield from self._handed_on(use, scope, passed)

    def _asked_by_callers(self, func: ast.expr, scope: Scope) -> Outcome | None:
        """Return what a caller does instead when what a function calls is None, if each asks."""
        function = next((s for s in scope.enclosing() if s.is_function), None)
        if function is None or (isinstance(func, ast.Name) and func.id in function.bindings):
            return None
        calls = self.reach.calls_of(function)
        if any(where.module is not scope.module for _, where, _ in calls):
            return None
        found = [self.around.absent(func, call, where) for call, where, _ in calls]
        return found[0] if found and None not in found else None

    def _handed_on(self, use: Use, scope: Scope, passed: Passed, depth: int = 0) -> Iterator[Use]:
        """Yield the calls of the wrapper, each with what it makes the inner call pass."""
        function = next((s for s in scope.enclosing() if s.is_function), None)
        if function is None or not isinstance(
            function.node, (ast.FunctionDef, ast.AsyncFunctionDef)
        ):
            return
        if any(self._rewrites(mark, function) for mark in function.node.decorator_list):
            return
        spreads = passed.hands_on_places or passed.hands_on_names
        if spreads:
            self.spreading.add(function)
        for call, where, callee in self.reach.calls_of(function)[:_MOST_EXPANDED]:
            outer = self.reader.passed(call, where)
            arguments = through(outer.arguments, function.node.args, passed, bound=callee.bound)
            if not spreads and not _differs(arguments, passed.arguments):
                continue
            mine = self.use(Form.CALL, use.targets, call, where)
            shown = replace(
                arguments,
                open_positional=arguments.open_positional or outer.hands_on_places,
                open_keywords=arguments.open_keywords or outer.hands_on_names,
            )
            yield replace(mine, arguments=shown, absent=use.absent, via=use.place)
            if depth < _DEEPEST and (outer.hands_on_places or outer.hands_on_names):
                # A wrapper around the wrapper.
                nested = replace(outer, arguments=arguments)
                yield from self._handed_on(use, where, nested, depth + 1)

    def _rewrites(self, decorator: ast.expr, function: Scope) -> bool:
        """Whether a decorator of the host hands on other arguments than it is called with."""
        made = decorator.func if isinstance(decorator, ast.Call) else decorator
        for value in self.evaluator.values(made, function.outer or function):
            if isinstance(value, Callable):
                return rewrites(value.scope)
        return False

    def _partial_call(self, node: ast.Call, scope: Scope, value: Partial) -> Iterator[Use]:
        if not isinstance(value.target, Api):
            return
        begun = self.reader.passed(value.call, value.scope, skip=1)
        ended = self.reader.passed(node, scope)
        names = {k.name for k in ended.arguments.keywords}
        arguments = Arguments(
            positional=(*begun.arguments.positional, *ended.arguments.positional),
            keywords=(
                *(k for k in begun.arguments.keywords if k.name not in names),
                *ended.arguments.keywords,
            ),
            open_positional=begun.arguments.open_positional or ended.arguments.open_positional,
            open_keywords=begun.arguments.open_keywords or ended.arguments.open_keywords,
        )
        yield from self._api_call(node, scope, value.target, replace(ended, arguments=arguments))

    def _outside(self, node: ast.Call, scope: Scope, path: str) -> Iterator[Use]:
        if path in probes.IMPORTERS or path in probes.SPECS:
            form = Form.FIND_SPEC if path in probes.SPECS else Form.DYNAMIC_IMPORT
            yield from self._by_name(node, scope, form)
        elif path in {"builtins.getattr", "builtins.hasattr"}:
            yield from self._attribute_probe(node, scope, path.rpartition(".")[2])
        elif path == "functools.partial":
            yield from self._begun(node, scope)

    def _by_name(self, node: ast.Call, scope: Scope, form: Form) -> Iterator[Use]:
        for arg in node.args[:1]:
            texts = [v.text for v in self.evaluator.values(arg, scope) if isinstance(v, Text)]
            for path in filter(None, map(self.project.library, texts)):
                target = Target(path=path, place=scope.module.place(node))
                use = self.use(form, (target,), node, scope)
                if called_name(node) == "importorskip":
                    use = replace(use, handlers=(_skips(use), *use.handlers))
                yield use
            if not texts and LIBRARY in ast.unparse(arg):
                yield self.use(Form.DYNAMIC, (), node, scope)

    def _attribute_probe(self, node: ast.Call, scope: Scope, name: str) -> Iterator[Use]:
        if len(node.args) < 2:  # noqa: PLR2004 - an object and a name
            return
        owners = [
            v
            for v in self.evaluator.values(node.args[0], scope)
            if isinstance(v, Api) and not v.path.endswith(")")
        ]
        texts = [v.text for v in self.evaluator.values(node.args[1], scope) if isinstance(v, Text)]
        for owner in owners:
            if any(text.startswith("__") for text in texts):
                continue
            if not texts:
                if not self._is_answered(scope):
                    yield self.use(Form.DYNAMIC, owner.targets, node, scope)
                continue
            if name == "hasattr":
                for text in texts:
                    yield self._question(Form.HASATTR, f"{owner.path}.{text}", node, scope)
                continue
            place = scope.module.place(node)
            for value in self.evaluator.values(node, scope):
                if isinstance(value, Api) and any(t.place == place for t in value.targets):
                    targets, head = self._chain(node, scope, value)
                    use = self.use(Form.GETATTR, targets, node, scope)
                    yield replace(use, is_fallback=not head)

    def _chain(self, node: ast.Call, scope: Scope, value: Api) -> tuple[tuple[Target, ...], bool]:
        """Return the chain that a getattr stands in, from itself on, and whether it is the head."""
        targets = value.targets
        for parent, _ in scope.module.above(node):
            if isinstance(parent, ast.BoolOp) and isinstance(parent.op, ast.Or):
                whole = [v for v in self.evaluator.values(parent, scope) if isinstance(v, Api)]
                if len(whole) == 1 and set(targets) <= set(whole[0].targets):
                    own = whole[0].targets.index(targets[0])
                    return whole[0].targets[own:], own == 0
            elif isinstance(parent, ast.Assign) and isinstance(parent.targets[0], ast.Name):
                # `f = getattr(…)` under `if f is None:`, or after it.
                named = self.evaluator.name(parent.targets[0].id, scope, None)
                chains = [v for v in named if isinstance(v, Api) and set(targets) < set(v.targets)]
                if len(chains) == 1:
                    own = chains[0].targets.index(targets[0])
                    return chains[0].targets[own:], own == 0
                break
            elif not isinstance(parent, ast.expr):
                break
        return targets, True

    def _is_answered(self, scope: Scope) -> bool:
        """Whether the callers of this helper all give the names that are known."""
        function = next((s for s in scope.enclosing() if s.is_function), None)
        calls = self.reach.calls_of(function) if function is not None else []
        return bool(calls) and all(
            any(isinstance(v, Api) for v in self.evaluator.values(call, where))
            for call, where, _ in calls
        )

    def _through_helper(self, node: ast.Call, scope: Scope, helper: Scope) -> Iterator[Use]:
        """Yield names that a helper of the host gets for this place: `need("fp8_gemm_nt")`."""
        place = scope.module.place(node)
        always = [v for v in self.evaluator.returned(helper, None) if isinstance(v, Api)]
        known = {t.path for v in always for t in v.targets}
        for value in self.evaluator.values(node, scope):
            if not isinstance(value, Api) or value.path == LIBRARY or value.path in known:
                continue
            if all(t.place == place for t in value.targets) and "()" not in value.path:
                use = self.use(Form.GETATTR, value.targets, node, scope)
                yield replace(use, absent=self._raised_by(helper, value))

    def _raised_by(self, helper: Scope, value: Api) -> Outcome | None:
        """Return what a helper of the host raises in the place of a name that is not there."""
        if not value.targets[-1].replaced:
            return None
        for statement in helper.returns:
            if isinstance(statement.value, ast.Name):
                found = self.around.absent(statement.value, statement, helper)
                if found is not None and found.then is Then.RAISES:
                    return found
        return None

    def _begun(self, node: ast.Call, scope: Scope) -> Iterator[Use]:
        for value in self.evaluator.values(node, scope):
            if isinstance(value, Partial) and isinstance(value.target, Api):
                passed = self.reader.passed(node, scope, skip=1)
                arguments = replace(passed.arguments, open_positional=True, open_keywords=True)
                use = self.use(Form.CALL, value.target.targets, node, scope)
                yield replace(use, arguments=arguments)


def _is_import(node: ast.Attribute, scope: Scope, path: str, evaluator: Evaluator) -> bool:
    """Whether an attribute only walks to the library: `vllm.third_party.deep_gemm`."""
    base = evaluator.values(node.value, scope)
    return path == LIBRARY and all(isinstance(v, Dotted) for v in base)


def _differs(one: Arguments, other: Arguments) -> bool:
    """Whether a caller makes one of the arguments something to look at."""
    return any(
        a.instead and a != b for a, b in zip(one.positional, other.positional, strict=False)
    ) or any(
        a.argument.instead and a.argument != b.argument
        for a, b in zip(one.keywords, other.keywords, strict=False)
    )


def _skips(use: Use) -> Handler:
    """Return the handler that importorskip is."""
    skipped = Outcome(then=Then.RETURNS, detail="the test is skipped")
    return Handler(exceptions=("ImportError",), place=use.place, outcome=skipped)


def _paths(use: Use) -> tuple[str, ...]:
    return tuple(t.path for t in use.targets)
