"""Graphs of networkx, lists of links and arrays as machines; what a request reads as a file."""

import json
import os
import weakref

from . import _requests, _schedules
from ._errors import RequestError


class Input:
    """What a request reads: one text as its input, another one as a file that lives as long as this."""

    def __init__(self):
        self.text = ""
        self.labels = None
        self._taken = False

    def _named(self, text, name):
        if not self._taken:
            self._taken, self.text = True, text
            return "-"
        import shutil
        import tempfile

        folder = tempfile.mkdtemp(prefix="kport-")
        weakref.finalize(self, shutil.rmtree, folder, True)
        path = os.path.join(folder, name)
        with open(path, "w", encoding="utf-8", errors="surrogateescape") as file:
            file.write(text)
        return path

    def graph(self, on):
        """The word for a machine: a specification as it is, of a graph its text."""
        if on is None or isinstance(on, (str, os.PathLike)):
            return on
        if all(isinstance(one, str) for one in on) if isinstance(on, (list, tuple)) and on else False:
            return on
        nodes, links, self.labels = _nodes_and_links(on)
        if nodes is None:
            return on
        return self._named(json.dumps({"nodes": nodes, "links": links}), "graph.json")

    def node(self, node):
        """The word for a node: of a graph that was given, its label."""
        try:
            return self.labels[node] if self.labels is not None and node in self.labels else node
        except TypeError:
            return node

    def schedule(self, schedule):
        """The word for a schedule: a path as it is, of rows or a text the input."""
        if isinstance(schedule, os.PathLike):
            return schedule
        if isinstance(schedule, str) and not _schedules.is_text(schedule):
            return schedule
        return self._named(_schedules.text_of(schedule, self.node), "schedule.txt")

    def convert(self, text, form):
        """The text of a schedule in another form. It may be on the graph that is read here."""
        both = Input()
        on = ["--on=" + both._named(self.text, "graph.json")] if self.labels is not None else []
        return _requests.asked(["convert", both._named(text, "schedule.json"), f"--to={form}", *on], both.text).text

    def graph_or_schedule(self, what):
        return self.schedule(what) if _schedules.is_schedule(what) else self.graph(what)


def _nodes_and_links(on):
    """Nodes and links for a file of nodes and links, and the labels by node; None where it is no graph."""
    if hasattr(on, "is_directed") and hasattr(on, "nodes") and hasattr(on, "edges"):
        return _of_networkx(on)
    if hasattr(on, "toarray"):
        on = on.toarray()
    rows = on.tolist() if hasattr(on, "tolist") and getattr(on, "ndim", 0) == 2 else on
    is_array = rows is not on
    if not isinstance(rows, (list, tuple)) or not rows or not all(isinstance(row, (list, tuple)) for row in rows):
        return None, None, None
    if is_array and all(len(row) == len(rows) for row in rows):
        return _of_adjacency(rows)
    if all(len(row) == 2 for row in rows):
        return _of_links(rows)
    if all(len(row) == len(rows) for row in rows):
        return _of_adjacency(rows)
    raise RequestError("--on: a list of links has two nodes in each, and an array of adjacency as many columns as rows")


def _label(node):
    return node if isinstance(node, str) else str(node)


def _labels_of(nodes):
    labels = {}
    known = {}
    for node in nodes:
        label = _label(node)
        if label in known and known[label] != node:
            raise RequestError(f"--on: two nodes are called {label!r}; want names that differ")
        known[label] = node
        labels[node] = label
    return labels


def _plain(value):
    return isinstance(value, (str, int, float)) and not isinstance(value, bool)


def _of_networkx(graph):
    what = f"--on {type(graph).__name__}"
    if graph.is_directed():
        raise RequestError(f"{what}: the graph is directed, and links of a machine go both ways; want graph.to_undirected()")
    labels = _labels_of(graph.nodes)
    nodes = [{**{key: value for key, value in data.items() if isinstance(key, str) and _plain(value)}, "id": labels[node]}
             for node, data in graph.nodes(data=True)]
    links = []
    for one, other, data in graph.edges(data=True):
        if data.get("weight", 1) != 1:
            raise RequestError(f"{what}: the link {labels[one]!r} - {labels[other]!r} has weight {data['weight']!r}, and "
                               "links of a machine have none; want a graph without weights")
        links.append({"source": labels[one], "target": labels[other]})
    return nodes, links, labels


def _of_links(rows):
    try:
        labels = _labels_of(dict.fromkeys(node for row in rows for node in row))
    except TypeError:
        raise RequestError("--on: a list of links has nodes that are numbers or names") from None
    if all(isinstance(node, int) for node in labels):
        labels = {node: labels[node] for node in sorted(labels)}
    nodes = [{"id": label} for label in labels.values()]
    return nodes, [{"source": labels[one], "target": labels[other]} for one, other in rows], labels


def _of_adjacency(rows):
    size = range(len(rows))
    for i in size:
        for j in size:
            if rows[i][j] not in (0, 1):
                raise RequestError(f"--on: row {i} column {j} of the array is {_requests.shortened(rows[i][j])}; want 1 for "
                                   "a link and 0 for none: links of a machine have no weights")
            if rows[i][j] != rows[j][i]:
                raise RequestError(f"--on: the array is directed: row {i} column {j} is {rows[i][j]}, row {j} column {i} is "
                                   f"{rows[j][i]}; want a symmetric one")
    links = [{"source": str(i), "target": str(j)} for i in size for j in range(i, len(rows)) if rows[i][j]]
    return [{"id": str(i)} for i in size], links, {i: str(i) for i in size}
