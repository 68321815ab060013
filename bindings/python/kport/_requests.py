"""Keyword arguments become the words of a command line, and its answer a text or an exception."""

import keyword
import numbers
import os
import sys
import warnings

from . import _kport
from ._errors import DoesNotFit, ProgramError, RequestError, RequestWarning, Stopped

WIDTH = 80  # columns of a text, the program's where there is no terminal


class Option:
    """A row of the option table, for one command."""

    def __init__(self, row):
        self.name, self.alias, self.value, self.words, self.about, choices = row
        self.choices = choices.split()
        self.keyword = keyword_of(self.name)
        self.is_flag = self.words == "flag"
        self.is_file = self.value.startswith("FILE") and self.words == "one"

    def kept_name(self):
        """The file name that says in which form a file is kept in the answer."""
        return self.name[2:] + self.value[len("FILE"):]


class Command:
    """A command: its words and options."""

    def __init__(self, row):
        self.name, self.about, self.subject, self.of, self.example, options = row
        self.options = [Option(option) for option in options]
        self.by_keyword = {}
        for option in self.options:
            self.by_keyword[option.keyword] = option
            if option.alias:
                self.by_keyword[keyword_of(option.alias)] = option


def keyword_of(option):
    """The keyword argument of an option: --max-rounds is max_rounds, --for is for_."""
    name = option[2:].replace("-", "_")
    return name + "_" if keyword.iskeyword(name) else name


def option_of(name):
    """The option that a keyword argument may mean, for the program to say what is wrong with it."""
    return "--" + name.rstrip("_").replace("_", "-")


def word(value, what):
    """A value as it is typed. Raises RequestError for one that no option can have."""
    if isinstance(value, str):
        return value
    if isinstance(value, (bool, bytes, bytearray)) or value is None:
        pass
    elif isinstance(value, numbers.Integral):
        return str(int(value)) if abs(int(value)) < 10**1000 else refuse_long(what)
    elif isinstance(value, numbers.Real):
        return repr(float(value))
    elif isinstance(value, os.PathLike) and isinstance(os.fspath(value), str):
        return os.fspath(value)
    raise RequestError(f"{what}: {shortened(value)} is {kind(value)}; want a string, a number, or a list of them")


def refuse_long(what):
    raise RequestError(f"{what}: the number has more than 1,000 digits; want a smaller one")


def shortened(value):
    try:
        text = repr(value)
    except Exception:
        text = "a value"
    return text if len(text) <= 60 else text[:57] + "..."


def kind(value):
    return "None" if value is None else f"of type {type(value).__name__}"


def listed(value):
    """The items of a list, a tuple, a range or an array; None for anything else."""
    if isinstance(value, (list, tuple, range)):
        return list(value)
    if type(value).__module__ == "numpy" and hasattr(value, "tolist") and getattr(value, "ndim", 0) == 1:
        return value.tolist()
    return None


def option_words(option, value, kept):
    """The words of an option and its value; none where it is not given."""
    what = option.name
    if value is None or (value is False and option.words != "one"):
        return []
    if option.is_flag:
        if value is True:
            return [option.name]
        raise RequestError(f"{what} takes no value, but {shortened(value)} gives one; want True or False")
    if value is True:
        if option.words == "at most one":
            return [option.name]
        if option.is_file:
            kept.append(option.name)
            return [f"{option.name}={option.kept_name()}"]
        raise RequestError(f"{what} needs a value: {what} {option.value}")
    items = listed(value)
    if items is None:
        return [f"{option.name}={word(value, what)}"]
    if not items:
        raise RequestError(f"{what} is empty: {what} {option.value}")
    texts = [word(item, what) for item in items]
    return [f"{option.name}={text}" for text in texts] if option.words == "many" else [f"{option.name}={','.join(texts)}"]


def words_of(command, subject, of, given, kept):
    """The words of a command line. Raises RequestError for a value that no word can be."""
    words = [command.name]
    for text in (subject, of):
        if text is None:
            continue
        text = word(text, command.subject)
        if text.startswith("-") and text != "-":
            raise RequestError(f"{command.subject} {text!r} begins with a dash; options are keyword arguments")
        words.append(text)
    seen = {}
    for name, value in given.items():
        option = command.by_keyword.get(name) or command.by_keyword.get(name + "_")
        if option is None:
            words.append(option_of(name))  # the program says which option is meant
            continue
        if value is not None and seen.setdefault(option.name, name) != name:
            raise RequestError(f"{option.name} is given twice: {seen[option.name]}= and {name}=")
        words += option_words(option, value, kept)
    return words


def program_path():
    """The program in the package, or else that of the Debian package."""
    program = os.path.join(os.path.dirname(os.path.abspath(__file__)), "kport")
    return program if os.path.exists(program) else "kport"


def encoded(text):
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        raise RequestError(f"{shortened(text)} has half a character; want UTF-8") from None


class ProgressBar:
    """A bar of tqdm for requests that take more than two seconds; nothing where tqdm is missing."""

    def __init__(self):
        self.calls = 0
        self.bar = None

    def __call__(self, round, messages, reached, nodes):
        self.calls += 1
        if self.calls < 40 or nodes == 0:  # 20 a second
            return
        if self.bar is None:
            try:
                from tqdm.auto import tqdm
            except ImportError:
                self.calls = -sys.maxsize
                return
            self.bar = tqdm(total=nodes, unit=" nodes", disable=None, leave=False)
        self.bar.set_postfix(round=round, messages=messages, refresh=False)
        self.bar.update(reached - self.bar.n)

    def close(self):
        if self.bar is not None:
            self.bar.close()


def asked(words, text="", kept=(), progress=None, program=None, width=WIDTH):
    """The answer. Raises RequestError, DoesNotFit, Stopped, ProgramError; what a program warns of is a RequestWarning."""
    bar = ProgressBar() if progress is None else None
    shown = bar or (progress if callable(progress) else None)
    name = getattr(program, "__name__", "program")
    try:
        answer = _kport.ask([encoded(one) for one in words], encoded(text), list(kept), width, shown, program,
                            name if name.isidentifier() else "program")
    except OverflowError as error:
        raise RequestError(str(error)) from None
    finally:
        if bar:
            bar.close()
    for warning in answer.warnings:
        warnings.warn(warning, RequestWarning, stacklevel=4)
    if not answer.error:
        return answer
    if answer.status == 2:
        raise RequestError(answer.error)
    if answer.status == 3:
        raise DoesNotFit(answer.error)
    if program is not None:
        error = ProgramError(answer.error)
        error.line = answer.line or None
        raise error from answer.failure
    raise Stopped(answer.error)
