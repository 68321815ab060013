"""A function for each command that kport answers, made from its tables of commands and options."""

from . import _graphs, _kport, _requests, _results, _schedules
from ._errors import RequestError

_commands = {row[0]: _requests.Command(row) for row in _kport.commands()}

# The word after a command, as an argument.
_subjects = {"OPERATION": "operation", "TOPOLOGY": "on", "FILE": "schedule", "OPERATION|FILE": "what", "LIST": "names"}

# Options that make a text of the answer, which then is no report.
_makes_text = ("--csv", "--repair", "--picture")


def words_after(command):
    """The names of the two words after a command, as arguments; None where it has none."""
    if command.name == "run":
        return "what", "operation"  # a program and its operation, or an operation
    first = "what" if command.name == "convert" else _subjects.get(command.subject)
    return first, {"OPERATION": "operation", "FILE": "file"}.get(command.of)


def parameters(command):
    """The names of the arguments: those with a place, and those without."""
    places = [name for name in words_after(command) if name is not None]
    return places, [option.keyword for option in command.options if option.keyword not in places]


def _is_program(value):
    return callable(value) and not isinstance(value, type)


def _asked(name, given, others, progress):
    """The result of a command. `given`: arguments by name, None where they are left out; `others` have no such name."""
    command = _commands[name]
    first, second = words_after(command)
    subject = given.pop(first) if first is not None else None
    # convert has an option that is called as the second word of others.
    of = given.pop(second) if second is not None else None
    given = {**{key: value for key, value in given.items() if value is not None}, **others}
    program = None
    if name == "run":
        subject, of, program = _program_of(subject, of, given)
    kept = []
    source = _graphs.Input()
    if "on" in command.by_keyword and "on" in given:
        given["on"] = source.graph(given["on"])
    subject = _subject_word(command, subject, source)
    for key in ("source", "root"):
        if key in given:
            given[key] = source.node(given[key])
    as_json = given.pop("json", True)
    words = _requests.words_of(command, subject, of, given, kept)
    if "json" in command.by_keyword and not any(option in words for option in _makes_text):
        words += _requests.option_words(command.by_keyword["json"], as_json, kept)
    answer = _requests.asked(words, source.text, kept, progress, program)
    return _results.result_of(_results.Request(command, words, source, program), answer, "--json" in words)


def _program_of(what, operation, given):
    """The operation, the second word, and the program of a run."""
    if not _is_program(what):
        if what is not None and operation is not None:
            raise RequestError("the operation is given twice; a program of your own is the first argument")
        return what if what is not None else operation, None, None
    if given.get("algorithm") is not None:
        raise RequestError("--algorithm has no effect here: the program is the algorithm; leave --algorithm out")
    if operation is None:
        raise RequestError("a program needs operation=, such as operation='broadcast'")
    given["algorithm"] = "./program"
    return operation, None, what


def _subject_word(command, subject, source):
    if subject is None:
        return None
    if command.subject == "FILE" or (command.subject == "OPERATION|FILE" and _schedules.is_schedule(subject)):
        return source.schedule(subject)
    if command.subject == "TOPOLOGY":
        return source.graph_or_schedule(subject)
    return subject


def _documented(command):
    lines = [f"{command.about[:1].upper()}{command.about[1:]}.", ""]
    for option in command.options:
        lines.append(f"{option.keyword}: {option.about}" if option.about else option.keyword)
    return "\n".join([*lines, "", f"The program's: {command.example}"])


def _function(command):
    """A function with the arguments of the command, so that help and editors show them."""
    places, keywords = parameters(command)
    names = [*places, *keywords]
    made = {"_asked": _asked}
    arguments = [*(f"{name}=None" for name in places), "*", *(f"{name}=None" for name in keywords), "progress=None", "**others"]
    exec(f"def {command.name}({', '.join(arguments)}):\n"  # noqa: S102
         f"    return _asked({command.name!r}, {{{', '.join(f'{name!r}: {name}' for name in names)}}}, others, progress)\n", made)
    function = made[command.name]
    function.__module__ = "kport"
    function.__doc__ = _documented(command)
    return function


_functions = {name: _function(command) for name, command in _commands.items()}


def functions():
    """The functions by name."""
    return _functions


def commands():
    """The commands, as the tables have them."""
    return _commands


def sweep(operation, *, on, progress=None, **options):
    """Compares the algorithms on many machines: each of `on`, with each value of options that are lists."""
    machines = _requests.listed(on)
    return _functions["compare"](operation, sweep=machines if machines is not None else on, progress=progress, **options)
