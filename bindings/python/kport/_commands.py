"""A function for each command that kport answers, made from its tables of commands and options."""

import inspect

from . import _graphs, _kport, _requests, _results, _schedules
from ._errors import RequestError

_commands = {row[0]: _requests.Command(row) for row in _kport.commands()}

# The word after a command, where it is not an operation.
_subjects = {"OPERATION": "operation", "TOPOLOGY": "on", "FILE": "schedule", "OPERATION|FILE": "operation", "LIST": "names"}

# Options that make a text of the answer, which then is no report.
_makes_text = ("--csv", "--repair")


def _is_program(value):
    return callable(value) and not isinstance(value, type)


def _ask(command, subject, of, given, progress=None):
    """The result of a request."""
    given = dict(given)
    program = None
    if command.name == "run" and _is_program(subject):
        if given.get("algorithm") is not None:
            raise RequestError("--algorithm has no effect here: the program is the algorithm; leave --algorithm out")
        program, subject = subject, of
        given["algorithm"] = "./program"
        if subject is None:
            raise RequestError("a program needs operation=, such as operation='broadcast'")
        of = None
    kept = []
    source = _graphs.Input()
    if "on" in command.by_keyword and "on" in given:
        given["on"] = source.graph(given["on"])
    subject = _subject_word(command, subject, source)
    for name in ("source", "root"):
        if name in given:
            given[name] = source.node(given[name])
    as_json = given.pop("json", True)
    words = _requests.words_of(command, subject, of, given, kept)
    is_text = as_json is False or given.get("picture") is True or any(option in words for option in _makes_text)
    if "json" in command.by_keyword and not is_text:
        words += _requests.option_words(command.by_keyword["json"], as_json, kept)
    answer = _requests.asked(words, source.text, kept, progress, program)
    return _results.result_of(_results.Request(command, words, source, program), answer, "--json" in words)


def _subject_word(command, subject, source):
    if subject is None:
        return None
    if command.subject == "FILE" or (command.subject == "OPERATION|FILE" and _schedules.is_schedule(subject)):
        return source.schedule(subject)
    if command.subject == "TOPOLOGY":
        return source.graph_or_schedule(subject)
    return subject


def _documented(command, first):
    lines = [f"{command.about[:1].upper()}{command.about[1:]}.", ""]
    for option in command.options:
        lines.append(f"{option.keyword}: {option.about}" if option.about else option.keyword)
    return "\n".join([*lines, "", f"The program's: {command.example}"])


def _signature(command, first, second):
    kinds = inspect.Parameter
    parameters = [kinds(first, kinds.POSITIONAL_OR_KEYWORD, default=None)]
    if second:
        parameters.append(kinds(second, kinds.POSITIONAL_OR_KEYWORD, default=None))
    taken = {first, second}
    parameters += [kinds(option.keyword, kinds.KEYWORD_ONLY, default=None) for option in command.options
                   if option.keyword not in taken]
    parameters.append(kinds("progress", kinds.KEYWORD_ONLY, default=None))
    return inspect.Signature(parameters)


def words_after(command):
    """The names of the two words after a command, as arguments; the second may be None."""
    first = _subjects[command.subject]
    second = {"OPERATION": "operation", "FILE": "file"}.get(command.of)
    if command.name == "run":
        return "what", "operation"  # a program and its operation, or an operation
    return ("what" if command.name in ("show", "convert") else first), second


def _function(command):
    first, second = words_after(command)

    def call(*words, progress=None, **options):
        if len(words) > (2 if second else 1):
            raise RequestError(f"kport {command.name} takes {2 if second else 1} words, but {len(words)} are given; "
                               "options are keyword arguments")
        of = None
        if len(words) > 0:
            if first in options and first not in command.by_keyword:
                raise RequestError(f"{first} is given twice")
            subject = words[0]
        else:
            subject = options.pop(first, None)
        if len(words) > 1:
            of = words[1]
        elif second and second not in command.by_keyword:
            of = options.pop(second, None)
        if command.name == "run" and not _is_program(subject):
            if subject is None:
                subject, of = of, None
            elif of is not None:
                raise RequestError("the operation is given twice; a program of your own is the first argument")
        return _ask(command, subject, of, options, progress)

    call.__name__ = call.__qualname__ = command.name
    call.__module__ = "kport"
    call.__doc__ = _documented(command, first)
    call.__signature__ = _signature(command, first, second)
    return call


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
