"""The small faults that are put into a source file, one at a time: a mutant is the file with one.

What any call would notice (a missing return value), and what no test should hold on to (docstrings,
annotations, decorators, words, the text of a refusal), is left as it is.
"""

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

LONGEST = 90
"""A change is shown within as much of its statement as fits into so many characters."""

OPERATORS: dict[type[ast.AST], type[ast.AST]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.FloorDiv,
    ast.Pow: ast.Mult,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.And: ast.Or,
    ast.Or: ast.And,
}
_PAIRS = (
    ("min", "max"),
    ("minimum", "maximum"),
    ("argmin", "argmax"),
    ("any", "all"),
    ("floor", "ceil"),
    ("zeros", "ones"),
    ("zeros_like", "ones_like"),
    ("sum", "mean"),
)
NAMES = dict(_PAIRS) | {second: first for first, second in _PAIRS}
LEFT_OUT = {"abs", "exp", "log", "sqrt", "square", "sorted", "stop_gradient", "tanh", "copy"}
"""Functions of one argument: `f(x)` becomes `x`."""
ANY_ORDER = {"min", "max", "minimum", "maximum", "isinstance", "hasattr", "issubclass", "logaddexp"}
"""Calls whose arguments are not swapped: nothing would change, or all tests would see it."""


@dataclass(frozen=True, eq=False)
class Mutant:
    """One fault: where it is, how it reads, and `apply`, which puts it into its tree.

    `apply` returns what takes it out again.
    """

    line: int
    where: str
    before: str
    after: str
    apply: Callable[[], Callable[[], None]]

    @property
    def name(self) -> str:
        """What a mutant is known by when lines move."""
        return f"{self.where}: {self.before} -> {self.after}"


@dataclass(frozen=True, eq=False)
class _Place:
    """A node of the tree, what holds it, and the nodes around it, the nearest last."""

    node: ast.AST
    put: Callable[[ast.AST], None]
    around: tuple[ast.AST, ...]


def mutants(tree: ast.Module) -> list[Mutant]:
    """All mutants of a file; the tree is left as it was."""
    found = [
        _mutant(place, replacement)
        for place in _places(tree, ())
        for replacement in _replacements(place)
    ]
    return _numbered(found)


def _numbered(found: list[Mutant]) -> list[Mutant]:
    """Mutants that read alike get a number: names are used as keys."""
    seen: dict[str, int] = {}
    numbered = []
    for mutant in found:
        seen[mutant.name] = count = seen.get(mutant.name, 0) + 1
        after = mutant.after if count == 1 else f"{mutant.after} ({count})"
        numbered.append(Mutant(mutant.line, mutant.where, mutant.before, after, mutant.apply))
    return numbered


def _mutant(place: _Place, replacement: ast.AST) -> Mutant:
    shown = _shown(place)
    before = _text(shown)
    place.put(replacement)
    after = _text(replacement if shown is place.node else shown)
    place.put(place.node)
    line = getattr(place.node, "lineno", 0)

    def apply() -> Callable[[], None]:
        place.put(ast.copy_location(replacement, place.node))
        return lambda: place.put(place.node)

    return Mutant(line, _where(place.around), before, after, apply)


def _shown(place: _Place) -> ast.AST:
    """As much around the change as is short enough."""
    shown = place.node
    for node in reversed(place.around):
        whole = isinstance(node, ast.FunctionDef | ast.ClassDef | ast.Module)
        if whole or not hasattr(node, "lineno") or len(_text(node)) > LONGEST:
            break
        shown = node
    return shown


def _text(node: ast.AST) -> str:
    """The source in one line; of a refusal its kind."""
    if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
        return f"raise {ast.unparse(node.exc.func)}(...)"
    return " ".join(ast.unparse(node).split())


def _where(around: tuple[ast.AST, ...]) -> str:
    named = [node for node in around if isinstance(node, ast.FunctionDef | ast.ClassDef)]
    return ".".join(node.name for node in named) or "module"


def _places(node: ast.AST, around: tuple[ast.AST, ...]) -> Iterator[_Place]:
    """All nodes that may be changed, from the top."""
    inner = (*around, node)
    for field, value in ast.iter_fields(node):
        if field in ("annotation", "returns", "decorator_list", "type_params"):
            continue
        for index, child in enumerate(value if isinstance(value, list) else [value]):
            if not isinstance(child, ast.AST) or _is_left_alone(child):
                continue
            yield _Place(child, _putter(node, field, index), inner)
            if not isinstance(child, ast.Raise):
                yield from _places(child, inner)


def _putter(node: ast.AST, field: str, index: int) -> Callable[[ast.AST], None]:
    def put(replacement: ast.AST) -> None:
        value = getattr(node, field)
        if isinstance(value, list):
            value[index] = replacement
        else:
            setattr(node, field, replacement)

    return put


def _is_left_alone(node: ast.AST) -> bool:
    """Docstrings, words, imports, `__all__`, and what is asserted for the type checker."""
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return True
    if isinstance(node, ast.Assign) and "__all__" in _assigned(node):
        return True
    return isinstance(node, ast.JoinedStr | ast.Import | ast.ImportFrom | ast.Assert)


def _replacements(place: _Place) -> Iterator[ast.AST]:
    """What a node is replaced by, one at a time."""
    node = place.node
    match node:
        case ast.Compare():
            for index, operator in enumerate(node.ops):
                ops = [*node.ops[:index], _other(operator), *node.ops[index + 1 :]]
                yield ast.Compare(node.left, ops, node.comparators)
        case ast.BinOp(op=operator) if type(operator) in OPERATORS and not _holds_words(node):
            yield ast.BinOp(node.left, _other(operator), node.right)
        case ast.AugAssign(op=operator) if type(operator) in OPERATORS:
            yield ast.AugAssign(node.target, _other(operator), node.value)
        case ast.BoolOp():
            yield ast.BoolOp(_other(node.op), node.values)
        case ast.UnaryOp(op=ast.Not() | ast.USub() | ast.Invert()):
            yield node.operand
        case ast.Constant():
            yield from map(ast.Constant, _other_numbers(node.value))
        case ast.Call():
            yield from _other_calls(node)
        case ast.Tuple(ctx=ast.Load()) if isinstance(place.around[-1], ast.Return | ast.Assign):
            for elements in _swapped(node.elts):
                yield ast.Tuple(elements, ast.Load())
    if _is_condition(place) and not _negates_itself(node):
        yield ast.UnaryOp(ast.Not(), node)  # type: ignore[arg-type]
    if _can_go(place):
        yield ast.Pass()


def _other(operator: ast.AST) -> Any:
    return OPERATORS[type(operator)]()


def _holds_words(node: ast.BinOp) -> bool:
    """Whether words are put together here, or types."""
    sides = (node.left, node.right)
    words = any(isinstance(s, ast.Constant) and isinstance(s.value, str | None) for s in sides)
    return words or any(isinstance(side, ast.JoinedStr) for side in sides)


def _other_numbers(value: object) -> Iterator[bool | int | float]:
    """One more; 1 becomes 0 too, and True False."""
    if isinstance(value, bool):
        yield not value
    elif isinstance(value, int | float):
        yield value + 1
        if value == 1:
            yield value - 1


def _other_calls(node: ast.Call) -> Iterator[ast.AST]:
    """Another function, none, or arguments that changed places with their neighbours."""
    name = _called(node)
    if name in NAMES:
        yield ast.Call(_renamed(node.func, NAMES[name]), node.args, node.keywords)
    if name in LEFT_OUT and len(node.args) == 1 and not node.keywords:
        yield node.args[0]
    if name in LEFT_OUT and not node.args and isinstance(node.func, ast.Attribute):
        yield node.func.value
    if name in ANY_ORDER or any(isinstance(argument, ast.Starred) for argument in node.args):
        return
    for arguments in _swapped(node.args):
        yield ast.Call(node.func, arguments, node.keywords)
    for values in _swapped([keyword.value for keyword in node.keywords]):
        pairs = zip(node.keywords, values, strict=True)
        yield ast.Call(node.func, node.args, [ast.keyword(k.arg, value) for k, value in pairs])


def _called(node: ast.Call) -> str:
    match node.func:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
    return ""


def _renamed(function: ast.expr, name: str) -> ast.expr:
    if isinstance(function, ast.Attribute):
        return ast.Attribute(function.value, name, ast.Load())
    return ast.Name(name, ast.Load())


def _swapped(nodes: list[ast.expr]) -> Iterator[list[ast.expr]]:
    """The list with two neighbours that differ swapped, for each such pair."""
    for index, (first, second) in enumerate(pairwise(nodes)):
        words = isinstance(first, ast.Constant) or isinstance(second, ast.Constant)
        if not words and ast.dump(first) != ast.dump(second):
            yield [*nodes[:index], second, first, *nodes[index + 2 :]]


def _is_condition(place: _Place) -> bool:
    match place.around[-1]:
        case ast.If(test=test) | ast.While(test=test) | ast.IfExp(test=test):
            return test is place.node
        case ast.comprehension(ifs=tests):
            return any(test is place.node for test in tests)
    return False


def _negates_itself(node: ast.AST) -> bool:
    """Whether another change is the negation already, or the condition has no end as it is."""
    opposite = ast.Eq | ast.NotEq | ast.Is | ast.IsNot | ast.In | ast.NotIn
    if isinstance(node, ast.Compare):
        return len(node.ops) == 1 and isinstance(node.ops[0], opposite)
    return isinstance(node, ast.Constant) or (
        isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not)
    )


def _can_go(place: _Place) -> bool:
    """Statements without which the function still runs: what remains uses names that exist."""
    match place.node:
        case ast.Raise() | ast.AugAssign() | ast.Break() | ast.Continue():
            return True
        case ast.Expr(value=ast.Call()):
            return True
        case ast.Assign(targets=[ast.Attribute() | ast.Subscript()]):
            return True
        case ast.Assign():
            before = _names_before(place)
            return all(name in before for name in _assigned(place.node))
    return False


def _assigned(node: ast.Assign) -> list[str]:
    names = [n for target in node.targets for n in ast.walk(target)]
    return [n.id for n in names if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]


def _names_before(place: _Place) -> set[str]:
    """Arguments, and what lines above assign, in the function that a statement is in."""
    functions = [node for node in place.around if isinstance(node, ast.FunctionDef)]
    if not functions:
        return set()
    arguments = {node.arg for node in ast.walk(functions[-1].args) if isinstance(node, ast.arg)}
    line = getattr(place.node, "lineno", 0)
    return arguments | {
        node.id
        for node in ast.walk(functions[-1])
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node.lineno < line
    }
