"""Schedules: rows of Python from and to the text that kport reads and writes (docs/schedules.md)."""

import numbers
import os
import re
from collections import namedtuple

from . import _requests
from ._errors import RequestError

Transfer = namedtuple("Transfer", "round sender receiver packets via", defaults=(None,))
Transfer.__doc__ = """A message: its round (from 1), sender, receiver, packets, and the nodes of a route that is not the topology's own.

Packets are numbers; where each node has several, or each pair its own, words of docs/schedules.md, such as "4:1" and "0>5"."""


class Schedule(tuple):
    """The messages of a run as rows of Transfer, in order. `json` is the text that kport wrote; check() takes both."""

    json = ""

    @classmethod
    def of(cls, text, table):
        """The schedule in a text; `table` is the same one as comma-separated values."""
        import csv
        import io

        rows = csv.reader(io.StringIO(table))
        rows = [row for row in rows if row and row[0].isdigit()]
        schedule = cls(Transfer(int(row[0]), _node(row[1]), _node(row[2]), _read_packets(row[3]),
                                tuple(_node(node) for node in row[4].split()) or None) for row in rows)
        schedule.json = text
        return schedule


def _node(text):
    return int(text) if text.isdigit() else text.strip('"')


def _read_packets(text):
    """Numbers where the words are numbers and ranges of them."""
    packets = []
    for word in text.split(","):
        match = re.fullmatch(r"(\d+)(?:\.\.(\d+)(?: step (\d+))?)?", word.strip())
        if match is None:
            packets.append(word.strip())
        else:
            first, last, step = (int(part) if part else None for part in match.groups())
            packets += range(first, (first if last is None else last) + 1, step or 1)
    return tuple(packet for packet in packets if packet != "")


def is_text(text):
    """Whether a string is a schedule and no path: it has a line break, an arrow, or begins with a bracket."""
    return "\n" in text or "->" in text or text.lstrip()[:1] in ("{", "<")


def is_schedule(value):
    """Whether a value is a schedule rather than an operation or a graph."""
    if isinstance(value, str):
        return is_text(value)
    if isinstance(value, (os.PathLike, Schedule)):
        return True
    return isinstance(value, (list, tuple)) and bool(value) and all(
        isinstance(row, (list, tuple)) and len(row) in (4, 5) for row in value)


def text_of(schedule, name_of=lambda node: node):
    """The text of a schedule. `name_of`: the name of a node of a graph. Raises RequestError for rows that are none."""
    if isinstance(schedule, str):
        return schedule
    if isinstance(schedule, Schedule) and schedule.json:
        return schedule.json
    if not isinstance(schedule, (list, tuple)):
        raise RequestError(f"schedule: {_requests.shortened(schedule)} is {_requests.kind(schedule)}; want rows (round, "
                           "sender, receiver, packets), a text, or a path")
    rounds = {}
    for place, row in enumerate(schedule):
        if not isinstance(row, (list, tuple)) or len(row) not in (4, 5):
            raise RequestError(f"schedule: row {place} is {_requests.shortened(row)}; want (round, sender, receiver, packets)")
        number = _whole(row[0], place, "round")
        rounds.setdefault(number, []).append(_line(row, place, name_of))
    return "".join(f"round {number}: {', '.join(lines)}\n" for number, lines in sorted(rounds.items()))


def _line(row, place, name_of):
    sender, receiver = (_node_word(node, place, name_of) for node in row[1:3])
    via = "" if len(row) == 4 or row[4] is None else " via " + " ".join(_node_word(node, place, name_of) for node in row[4])
    packets = row[3] if isinstance(row[3], (list, tuple, range, set, frozenset)) else [row[3]]
    if not packets:
        raise RequestError(f"schedule: row {place} has no packets; want at least one")
    return f"{sender} -> {receiver}{via} {{{', '.join(_packet(packet, place) for packet in packets)}}}"


def _whole(value, place, what):
    if isinstance(value, numbers.Integral) and not isinstance(value, bool) and abs(int(value)) < 1 << 64:
        return int(value)
    raise RequestError(f"schedule: row {place} has {_requests.shortened(value)} as {what}; want a whole number")


def _node_word(node, place, name_of):
    try:
        name = name_of(node)
    except TypeError:
        name = node
    if isinstance(name, str):
        if '"' in name or "\n" in name:
            raise RequestError(f"schedule: row {place} names {_requests.shortened(name)}; want the number of this node")
        return f'"{name}"'
    return str(_whole(node, place, "a node"))


def _packet(packet, place):
    if isinstance(packet, str):
        if re.fullmatch(r"[0-9a-z.:> ]+", packet) is None:
            raise RequestError(f"schedule: row {place} has {_requests.shortened(packet)} as a packet; want a number, or words "
                               "of docs/schedules.md")
        return packet
    return str(_whole(packet, place, "a packet"))
