"""Finds what may be changed in a C++ file and writes all changes into it, each behind a number that is chosen at run time.

Mutant schemata (Untch, Offutt, Harrold 1993): `a < b` becomes `(kport_first(7) ? ((a) <= (b)) : ... : (a < b))`, so that
thousands of mutants are compiled once. Lines keep their numbers. The first mutant of a place notes that a run came there.
"""
import re
from dataclasses import dataclass, field

from clang.cindex import CursorKind as Kind
from clang.cindex import Index, TypeKind

# What a comparison, a sum and a choice may become. {a} and {b} are the operands.
SAME_OR_NEGATED = {'==': ['!='], '!=': ['==']}
COMPARISONS = {'<': ['<=', '>='], '<=': ['<', '>'], '>': ['>=', '<='], '>=': ['>', '<'],
               '==': ['!=', '<=', '>='], '!=': ['==', '<', '>']}
OFF_BY_ONE = {'<': '({a}) + 1 < ({b})', '<=': '({a}) <= ({b}) + 1', '>': '({a}) > ({b}) + 1', '>=': '({a}) + 1 >= ({b})'}
SWAPS = {'+': '-', '-': '+', '+=': '-=', '-=': '+=', '*': '+', '/': '*', '%': '/', '&&': '||', '||': '&&'}
INTEGERS = {TypeKind.BOOL, TypeKind.CHAR_U, TypeKind.UCHAR, TypeKind.USHORT, TypeKind.UINT, TypeKind.ULONG,
            TypeKind.ULONGLONG, TypeKind.CHAR_S, TypeKind.SCHAR, TypeKind.SHORT, TypeKind.INT, TypeKind.LONG,
            TypeKind.LONGLONG}
NUMBERS = INTEGERS | {TypeKind.FLOAT, TypeKind.DOUBLE}
UNKNOWN = {TypeKind.DEPENDENT, TypeKind.UNEXPOSED, TypeKind.INVALID, TypeKind.AUTO}
NOT_AT_RUN_TIME = {Kind.STATIC_ASSERT, Kind.ENUM_DECL, Kind.TEMPLATE_NON_TYPE_PARAMETER, Kind.ALIGNED_ATTR,
                   Kind.TYPE_ALIAS_DECL}


@dataclass
class Mutant:
    file: str
    line: int
    place: str  # the whole line
    code: str  # what stands there
    change: str  # what stands there instead
    text: str = ''  # the C++ of it
    kind: str = ''
    number: int = 0
    first: 'Mutant | None' = field(default=None, repr=False)  # of its place

    def key(self):
        return f'{self.file}:{self.line}: {self.code} -> {self.change}'


@dataclass
class Site:
    begin: int
    end: int
    form: str  # 'value' (a choice of expressions), 'call' (an expression statement), 'jump' (break, continue, return)
    mutants: list = field(default_factory=list)
    inner: list = field(default_factory=list)


def flat(text):
    return re.sub(r'\s+', ' ', re.sub(r'//[^\n]*', '', text)).strip()


class Finder:
    def __init__(self, root, file, arguments):
        self.file = file
        self.source = (root / file).read_bytes()
        self.sites = []
        unit = Index.create().parse(str(root / file), ['-x', 'c++', *arguments])
        errors = [d for d in unit.diagnostics if d.severity >= 3]
        if errors:
            raise SystemExit(f'{file}: {errors[0]}')
        self.walk_children(unit.cursor, str(root / file))

    def walk_children(self, cursor, path):
        for child in cursor.get_children():
            if child.location.file is not None and child.location.file.name == path:
                self.visit(child, None)

    def text(self, begin, end):
        return self.source[begin:end].decode()

    def of(self, cursor):
        return self.text(cursor.extent.start.offset, cursor.extent.end.offset)

    def add(self, cursor, form, changes):
        """changes: (kind, what stands there instead, its C++)"""
        begin, end = cursor.extent.start.offset, cursor.extent.end.offset
        if end <= begin or 'co_await' in self.text(begin, end):
            return
        code = flat(self.text(begin, end))
        line = self.source.count(b'\n', 0, begin) + 1
        place = self.source.split(b'\n')[line - 1].decode().strip()
        site = Site(begin, end, form)
        for kind, change, text in changes:
            site.mutants.append(Mutant(self.file, line, place, code, change, text, kind))
        if site.mutants:
            self.sites.append(site)

    def visit(self, cursor, parent):
        if cursor.kind in NOT_AT_RUN_TIME or self.is_constant(cursor) or self.is_hint(cursor):
            return
        self.mutate(cursor)
        for child in cursor.get_children():
            if self.is_statement(child, cursor):
                self.delete(child)
            self.visit(child, cursor)

    @staticmethod
    def is_hint(cursor):
        """To the memory: it changes no result."""
        return cursor.kind == Kind.CALL_EXPR and cursor.spelling == '__builtin_prefetch'

    def is_constant(self, cursor):
        """constexpr variables and functions, whose value the compiler may ask for."""
        if cursor.kind in (Kind.VAR_DECL, Kind.FUNCTION_DECL, Kind.CXX_METHOD, Kind.FUNCTION_TEMPLATE, Kind.CONSTRUCTOR):
            head = self.of(cursor).split('{')[0].split('=')[0]
            return re.search(r'\b(constexpr|consteval)\b', head) is not None
        return False

    # ---- statements

    def is_statement(self, child, parent):
        if parent.kind == Kind.COMPOUND_STMT:
            return True
        if parent.kind in (Kind.FOR_STMT, Kind.WHILE_STMT, Kind.CXX_FOR_RANGE_STMT, Kind.CASE_STMT, Kind.DEFAULT_STMT):
            return list(parent.get_children())[-1] == child
        if parent.kind == Kind.IF_STMT:
            return child in self.branches(parent)[1]
        return parent.kind == Kind.UNEXPOSED_STMT and child.kind != Kind.COMPOUND_STMT

    def branches(self, statement):
        """The condition of an if, and what it chooses among."""
        children = list(statement.get_children())
        between = self.text(children[-2].extent.end.offset, children[-1].extent.start.offset)
        split = -2 if len(children) >= 3 and re.search(r'\belse\b', between) else -1
        return (children[split - 1] if len(children) >= 1 - split else None), children[split:]

    def delete(self, statement):
        if statement.kind in (Kind.CALL_EXPR, Kind.BINARY_OPERATOR, Kind.COMPOUND_ASSIGNMENT_OPERATOR, Kind.UNARY_OPERATOR,
                              Kind.UNEXPOSED_EXPR) and not self.is_hint(statement):
            self.add(statement, 'call', [('statement', 'nothing', '')])
        elif statement.kind in (Kind.BREAK_STMT, Kind.CONTINUE_STMT) or self.of(statement) == 'return':
            self.add(statement, 'jump', [('statement', 'nothing', '')])

    # ---- expressions

    def mutate(self, cursor):
        kind = cursor.kind
        children = list(cursor.get_children())
        if kind in (Kind.BINARY_OPERATOR, Kind.COMPOUND_ASSIGNMENT_OPERATOR) and len(children) == 2:
            self.binary(cursor, children[0], children[1])
        elif kind == Kind.CALL_EXPR and cursor.spelling.startswith('operator') and len(children) == 3:
            self.binary(cursor, children[0], children[2])
        elif kind == Kind.CALL_EXPR and cursor.spelling in ('min', 'max') and self.of(cursor).startswith('std::' + cursor.spelling):
            other = {'min': 'max', 'max': 'min'}[cursor.spelling]
            text = flat(self.of(cursor))
            self.add(cursor, 'value', [('extreme', f'std::{other}', text.replace('std::' + cursor.spelling, 'std::' + other, 1))])
        elif kind == Kind.INTEGER_LITERAL:
            text = self.of(cursor)
            # The type of a literal that is not an int may be the type of a template's argument or a list's element.
            if re.fullmatch(r"[0-9][0-9a-fA-FxX']*[uUlL]*", text):
                self.add(cursor, 'value', [('bound', f'{text} {sign} 1', f'{text} {sign} 1') for sign in '+-'
                                           if not (text == '0' and sign == '-')])
        elif kind == Kind.CXX_BOOL_LITERAL_EXPR:
            other = {'true': 'false', 'false': 'true'}.get(self.of(cursor))
            if other:
                self.add(cursor, 'value', [('truth', other, other)])
        elif kind == Kind.UNARY_OPERATOR and children:
            self.unary(cursor, children[0])
        elif kind == Kind.IF_STMT and not re.match(r'if\s+constexpr', self.of(cursor)):
            self.condition(self.branches(cursor)[0], children)
        elif kind == Kind.WHILE_STMT and len(children) == 2:
            self.condition(children[0], children)
        elif kind == Kind.CONDITIONAL_OPERATOR:
            self.condition(children[0], children)
        elif kind == Kind.FOR_STMT:
            for child in children[:-1]:
                if child.kind in (Kind.BINARY_OPERATOR, Kind.CALL_EXPR, Kind.UNEXPOSED_EXPR) and self.is_truth(child):
                    self.condition(child, [], only=['false'])

    @staticmethod
    def is_truth(cursor):
        return cursor.type.get_canonical().kind == TypeKind.BOOL

    def condition(self, cursor, siblings, only=('true', 'false')):
        if cursor is None or not cursor.kind.is_expression():
            return
        span = (cursor.extent.start.offset, cursor.extent.end.offset)
        for other in siblings:  # `if (const auto x = f())`: the condition is a declaration
            if not other.kind.is_expression() and other.extent.start.offset <= span[0] and span[1] <= other.extent.end.offset \
                    and other.kind in (Kind.VAR_DECL, Kind.DECL_STMT):
                return
        if cursor.kind != Kind.CXX_BOOL_LITERAL_EXPR:
            self.add(cursor, 'value', [('condition', value, value) for value in only])

    def unary(self, cursor, operand):
        text = self.of(cursor)
        if text.startswith('!') and not text.startswith('!='):
            self.add(cursor, 'value', [('negation', 'without !', f'static_cast<bool>({flat(self.of(operand))})')])
        elif text.startswith('++') or text.startswith('--'):
            other = {'+': '--', '-': '++'}[text[0]]
            self.add(cursor, 'value', [('sum', other + text[2:], f'({other}{flat(self.of(operand))})')])

    def binary(self, cursor, left, right):
        operator = self.text(left.extent.end.offset, right.extent.start.offset).strip()
        a, b = flat(self.of(left)), flat(self.of(right))
        types = [left.type.get_canonical().kind, right.type.get_canonical().kind]
        numbers = all(t in NUMBERS for t in types)
        changes = []
        if operator in COMPARISONS:
            known = numbers or all(t in UNKNOWN for t in types)
            others = COMPARISONS[operator] if known else SAME_OR_NEGATED.get(operator, COMPARISONS[operator])
            for other in others:
                if not self.same(operator, other, b, left):
                    changes.append(('comparison', f'{a} {other} {b}', f'({a}) {other} ({b})'))
            if operator in OFF_BY_ONE and all(t in INTEGERS for t in types):
                text = OFF_BY_ONE[operator].format(a=a, b=b)
                changes.append(('comparison', text, text))
        elif operator in ('&&', '||'):
            changes.append(('connective', SWAPS[operator], f'({a}) {SWAPS[operator]} ({b})'))
            changes += [('connective', f'only {flat(x)}', f'static_cast<bool>({x})') for x in (a, b)]
        elif operator in SWAPS and numbers:
            changes.append(('sum', f'{a} {SWAPS[operator]} {b}', f'{a} {SWAPS[operator]} {b}'))
        self.add(cursor, 'value', changes)

    @staticmethod
    def same(operator, other, b, left):
        """The least and the greatest number: `x == 0` is `x <= 0` where x has no sign."""
        signless = left.type.get_canonical().kind in (TypeKind.UCHAR, TypeKind.USHORT, TypeKind.UINT, TypeKind.ULONG,
                                                      TypeKind.ULONGLONG)
        if re.fullmatch(r'0U?|Round\{0\}', b) and signless:
            return (operator, other) in (('==', '<='), ('!=', '>'), ('!=', '<'))
        if re.fullmatch(r'no_node|no_port', b):
            return (operator, other) in (('==', '>='), ('!=', '<'), ('!=', '>'))
        return False


def nested(sites):
    """The sites as trees: what lies in another is its inner one."""
    roots, open_sites = [], []
    for site in sorted(sites, key=lambda s: (s.begin, -s.end, s.form == 'value')):
        while open_sites and open_sites[-1].end <= site.begin:
            open_sites.pop()
        site.inner = []
        (open_sites[-1].inner if open_sites else roots).append(site)
        open_sites.append(site)
    return roots


def rewritten(source, sites):
    """The file with all mutants in it."""
    def between(begin, end, inner):
        text, at = '', begin
        for site in inner:
            text += source[at:site.begin].decode() + of(site)
            at = site.end
        return text + source[at:end].decode()

    def of(site):
        body = between(site.begin, site.end, site.inner)
        if not site.mutants:
            return body
        if site.form == 'value':
            first, *others = site.mutants
            choices = f'kport_first({first.number}) ? ({first.text}) : '
            choices += ''.join(f'kport_mutant == {m.number} ? ({m.text}) : ' for m in others)
            truth = 'static_cast<bool>' if site.mutants[0].kind == 'condition' else ''  # of pointers, optionals
            return f'({choices}{truth}({body}))'
        number = site.mutants[0].number
        if site.form == 'call':
            return f'(!kport_first({number}) ? static_cast<void>({body}) : static_cast<void>(0))'
        return f'if (!kport_first({number})) {body}; else static_cast<void>(0)'

    return between(0, len(source), nested(sites))
