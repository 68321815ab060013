"""Runs a program that was handed in, for `kport grade`: python3 -m kport._hand_in PROGRAM.py REQUEST.json

Each run is in a process of its own, which is sealed before it looks at the program, and whose answer is a schedule or a sentence. This
process never holds the program's code. It writes, for each run, three texts that end with a zero byte: a schedule, how the run ended,
and a sentence.
"""

import ast
import builtins
import json
import os
import re
import select
import signal
import sys
import time
import types

from . import _errors, _kport, _requests

NAME = "program.py"
MODULES = ("__future__", "abc", "bisect", "collections", "copy", "dataclasses", "enum", "fractions", "functools", "heapq",
           "itertools", "kport", "math", "numbers", "operator", "string", "typing")
FATES = {signal.SIGSYS: "sealed", signal.SIGXCPU: "late", signal.SIGKILL: "late"}
WANTED = "want `def program(self):` with a yield in it"


class NoProgram(Exception):
    """What is handed in is no program; the text says why."""


def code_of(source):
    """The compiled file. Raises NoProgram for one that is no program, or imports what a node has no use for."""
    try:
        tree = ast.parse(source, NAME)
        code = compile(tree, NAME, "exec")
    except SyntaxError as error:
        raise NoProgram(f"line {error.lineno or 1}: {type(error).__name__}: {error.msg}") from None
    except ValueError as error:
        raise NoProgram(f"{error}; want a text of Python") from None
    for node in ast.walk(tree):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else (
            [node.module or "."] if isinstance(node, ast.ImportFrom) else [])
        for name in names:
            if name.split(".")[0] not in MODULES:
                raise NoProgram(f"line {node.lineno}: imports {name}; a program may import {', '.join(MODULES[1:])}")
    return code


def function_of(code):
    """The function `program` of the file, which runs anew: nodes share none of its variables."""
    module = sys.modules["hand_in"] = types.ModuleType("hand_in")  # where dataclasses look up annotations
    names = vars(module)
    names["__builtins__"] = dict(vars(builtins))
    exec(code, names)  # noqa: S102
    program = names.get("program")
    head = getattr(program, "__code__", None)
    if head is None:
        raise NoProgram(f"there is no function called program; {WANTED}")
    if not head.co_flags & 0x20:  # a generator
        raise NoProgram(f"line {head.co_firstlineno}: program is no generator; {WANTED}")
    if head.co_argcount != 1:
        raise NoProgram(f"line {head.co_firstlineno}: program has {head.co_argcount} arguments; {WANTED}")
    return program


def refuse_topology(node):
    """What stands for Node.topology() where nodes know their own ports only."""
    raise NoProgram("asks for the topology; here a node knows its own ports only, as degree, ports and neighbour(port) have them")


def line_in(error):
    """Where in the program an exception was raised: "line 7: "."""
    line, trace = None, error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == NAME:
            line = trace.tb_lineno
        trace = trace.tb_next
    return f"line {line}: " if line else ""


def text_of(error):
    """An exception in one sentence, without addresses, which differ from run to run."""
    if isinstance(error, NoProgram):
        return str(error)
    return re.sub("0x[0-9a-f]+", "0x...", f"{type(error).__name__}: {error}" if str(error) else type(error).__name__)


def schedule_of(source, words):
    """The schedule that the program makes. Raises NoProgram with a sentence, or MemoryError."""
    try:
        code = code_of(source)
        function_of(code)
    except (NoProgram, MemoryError):
        raise
    except BaseException as error:
        raise NoProgram(line_in(error) + text_of(error)) from None

    def program(node):
        return function_of(code)(node)

    try:
        answer = _requests.asked(words, kept=["--record"], progress=False, program=program)
    except _errors.ProgramError as error:
        cause = error.__cause__
        if isinstance(cause, MemoryError):
            raise cause
        if cause is None:
            raise NoProgram((f"line {error.line}: " if error.line else "") + str(error)) from None
        where = re.search(r"node \d+ in round \d+", str(error))
        raise NoProgram(line_in(cause) + text_of(cause) + (f" ({where.group()})" if where else "")) from None
    return answer.files["--record"].encode()


def run_sealed(source, words, processes, knows, report):
    """Runs the program in this process, a copy of the first one, or in several that share out the nodes; reports to a pipe."""
    nothing = os.open("/dev/null", os.O_RDWR)
    os.dup2(report, 3)
    for output in range(3):
        os.dup2(nothing, output)
    os.closerange(4, 1024)
    if knows == "own":
        _kport.Node.topology = refuse_topology
    try:
        rank = _kport.fork_into(processes) if processes > 1 else 0
        if rank:
            os.dup2(1, 3)
        _kport.seal()
        told = b"s" + schedule_of(source, words)
    except MemoryError:
        told = b"m"
    except BaseException as error:
        told = b"r" + text_of(error).encode("utf-8", "replace")
    while told:
        told = told[os.write(3, told):]
    os._exit(0)


def read_until(pipe, end, most):
    """What is written to a pipe before `end`, a time of time.monotonic(); it is left when more than `most` bytes have come."""
    told = bytearray()
    while len(told) <= most:
        if not select.select([pipe], [], [], max(0.0, end - time.monotonic()))[0]:
            return told
        some = os.read(pipe, 1 << 16)
        if not some:
            return told
        told += some
    return told


def status_until(child, end):
    """How a process ended; it is killed at `end`."""
    while time.monotonic() < end:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return status
        time.sleep(0.001)
    os.kill(child, signal.SIGKILL)
    return os.waitpid(child, 0)[1]


def run_apart(source, words, processes, knows, seconds, most):
    """A schedule, how the run ended, and a sentence."""
    end = time.monotonic() + seconds
    pipe, report = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            run_sealed(source, words, processes, knows, report)
        finally:
            os._exit(1)
    os.close(report)
    told = bytes(read_until(pipe, end, most + 1))
    os.close(pipe)
    status = status_until(child, end)
    if len(told) > most + 1:
        return b"", "long", b""
    if os.WIFSIGNALED(status):
        return b"", FATES.get(os.WTERMSIG(status), "crashes"), b""
    if told == b"m":
        return b"", "memory", b""
    if told[:1] == b"r":
        return b"", "refused", told[1:].replace(b"\0", b"")
    if told[:1] != b"s" or b"\0" in told or os.WEXITSTATUS(status) != 0:
        return b"", "exits", b""
    return told[1:], "0", b""


def main(program, request):
    with open(program, "rb") as file:
        source = file.read()
    with open(request, encoding="utf-8") as file:
        asked = json.load(file)
    for run in asked["runs"]:
        schedule, status, sentence = run_apart(source, run["words"], run["processes"], asked["knows"], asked["seconds"], asked["bytes"])
        sys.stdout.buffer.write(b"\0".join((schedule, status.encode(), sentence, b"")))
        sys.stdout.buffer.flush()
        if status == "late":
            break


if __name__ == "__main__":
    main(*sys.argv[1:])
