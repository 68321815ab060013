"""Answers as objects."""

import json

from . import _requests, _schedules
from ._errors import BrokenRule, RequestError

DRAWN_NODES = 64  # the most that are drawn whole


class Request:
    """What was asked, to ask for more of it: a text, a picture, the schedule."""

    def __init__(self, command, words, source, program):
        self.command, self.words, self.source, self.program = command, words, source, program

    def without(self, *options):
        return [word for word in self.words if word.split("=")[0] not in options]

    def again(self, words, kept=()):
        return _requests.asked(words, self.source.text, kept, False, self.program)


class Text(str):
    """A text that kport printed."""

    def __repr__(self):
        return str(self)


class Picture(Text):
    """A picture, or the page that plays a run."""

    def save(self, file):
        """Writes it into a file."""
        with open(file, "w", encoding="utf-8") as out:
            out.write(self)

    def _repr_svg_(self):
        return str(self) if self.lstrip().startswith("<svg") else None

    def _repr_html_(self):
        if not self.lstrip().lower().startswith(("<!doctype", "<html")):
            return None
        import html

        return (f'<iframe sandbox="allow-scripts" style="width:100%;height:36em;border:0" srcdoc="{html.escape(self)}">'
                "</iframe>")


class Result:
    """An answer. The members of the program's JSON are attributes; `json` is its text, and to_dict() all of it."""

    def __init__(self, request, answer):
        self._request = request
        self._answer = answer
        self.json = answer.text
        self.status = answer.status
        self.warnings = answer.warnings
        self._data = json.loads(answer.text)

    def __getattr__(self, name):
        data = self.__dict__.get("_data", {})
        if name in data:
            return data[name]
        raise AttributeError(f"the answer has no {name!r}; it has {', '.join(data)}")

    def __dir__(self):
        return [*super().__dir__(), *self._data]

    def to_dict(self):
        """The program's JSON as dictionaries and lists."""
        return json.loads(self.json)

    @property
    def files(self):
        """The files that options with True asked for: {"--trace": text}."""
        return self._answer.files

    @property
    def text(self):
        """The program's report."""
        return self._request.again(self._request.without("--json", "--record", "--trace", "--proof", "--plot", "--picture")).text

    def __str__(self):
        return self.text

    def __repr__(self):
        return self.text.rstrip("\n")


class Run(Result):
    """A run, or a schedule that was judged."""

    @property
    def text(self):
        return self._answer.report(_requests.WIDTH)

    @property
    def violations(self):
        """Sentences about the broken rules; [] where all were kept."""
        return [violation["text"] for violation in self._data["violations"]]

    def raise_if_broken(self):
        """Raises BrokenRule unless all rules were kept and everything was delivered. Returns this result."""
        if not self.lawful:
            raise BrokenRule("; ".join([self.verdict, *self.violations[:3]]))
        return self

    @property
    def rounds_table(self):
        """A row a round: round, messages, longest path (links), bytes, nodes reached. An array of numpy if it is installed.

        Without per_round=True the run is repeated for it."""
        rounds = self._data.get("per_round")
        if rounds is None:
            rounds = json.loads(self._request.again([*self._request.words, "--per-round"]).text)["per_round"]
        keys = ("round", "transfers", "longest_path", "bytes", "reached")
        return _array([[row[key] for key in keys] for row in rounds], (len(rounds), len(keys)))

    @property
    def schedule(self):
        """The messages, as rows of Transfer. Without record=True the run is repeated for it."""
        if "schedule" not in self.__dict__:
            text = self._recorded()
            self.schedule = _schedules.Schedule.of(text, self._request.source.convert(text, "csv"))
        return self.__dict__["schedule"]

    @schedule.setter
    def schedule(self, value):
        self.__dict__["schedule"] = value

    def _recorded(self):
        if "--record" in self.files:
            return self.files["--record"]
        request = self._request
        if request.command.name == "check":
            words = ["convert", *request.words[1:2], "--to=json", *_shared(request, "convert")]
            operation = [word for word in request.words[2:3] if not word.startswith("-")]
            return request.again(words + [f"--operation={word}" for word in operation]).text
        if "--engine=free" in request.words:
            raise RequestError("--engine 'free': another run may send other messages; want record=True")
        return request.again([*request.without("--record"), "--record=record.json"], ["--record"]).files["--record"]

    def load(self, of):
        """What each "link" or "node" carried: {link or node: (messages, bytes)}, as arrays of numpy if it is installed.

        Of links: (sender, receiver, messages, bytes) for each channel that carried any. Of nodes: (messages, bytes) that it sent."""
        if of not in ("link", "node"):
            raise RequestError(f"load {of!r} is unknown (link, node)")
        loads = {}
        data = json.loads(self._recorded())
        for row in data["transfers"]:
            size = sum(_size(block) for block in row["packets"]) * self.packet_bytes
            at = row["from"]
            for port in row["route"]:
                after = self._answer.across(at, port)
                messages, much = loads.get((at, after), (0, 0))
                loads[at, after] = messages + 1, much + size
                at = after
                if of == "node":
                    break
        if of == "link":
            rows = [[*link, *load] for link, load in sorted(loads.items())]
            return _array(rows, (len(rows), 4))
        rows = [[0, 0] for _ in range(self.topology["hosts"])]
        for (sender, _), (messages, much) in loads.items():
            rows[sender] = [rows[sender][0] + messages, rows[sender][1] + much]
        return _array(rows, (len(rows), 2))

    def picture(self, as_="svg", **options):
        """The run, drawn as show() draws it: "svg", "overview", "space-time", "dot", "text", "html"."""
        request = self._request
        words = ["show", *request.words[1:3 if request.words[2:3] and not request.words[2].startswith("-") else 2]]
        text = request.source.text
        if request.program is not None:
            words, text = ["show", "-"], request.source.convert(self._recorded(), "json")
        else:
            words += _shared(request, "show")
        more = _requests.words_of(_command("show"), None, None, {"as_": as_, **options}, [])[1:]
        return Picture(_requests.asked(words + more, text, (), False, None).text)

    def show(self):
        """The player: a page in a frame that loads nothing from a network."""
        return self.picture("html")

    def _repr_svg_(self):
        return str(self.picture("svg")) if self.topology["nodes"] <= DRAWN_NODES else None

    def _repr_html_(self):
        return None if self.topology["nodes"] <= DRAWN_NODES else self.show()._repr_html_()


class Comparison(Result):
    """The algorithms beside each other, on one machine or on many."""

    @property
    def rows(self):
        """A dictionary for each run: what varies, the algorithm, its quantities, whether it was lawful."""
        rows = []
        for machine in self._data.get("machines", [self._data]):
            for run in machine.get("runs", []):
                rows.append({**machine.get("varied", {}), "algorithm": run["algorithm"], **run.get("measured", {}),
                             "lawful": run.get("lawful"), "verdict": run.get("verdict")})
        return rows

    def to_pandas(self):
        """The rows as a DataFrame. Needs pandas."""
        import pandas

        return pandas.DataFrame(self.rows)

    def _repr_html_(self):
        import html

        return f"<pre>{html.escape(self.text)}</pre>"


def _command(name):
    from . import _commands

    return _commands.commands()[name]


def _shared(request, command):
    """The options of the request that another command takes."""
    taken = {option.name for option in _command(command).options} - {"--json", "--reproducible"}
    return [word for word in request.words if word.startswith("--") and word.split("=")[0] in taken]


def _size(block):
    return 1 if isinstance(block, int) else block.get("count", 1) * block.get("rows", 1)


def _array(rows, shape):
    try:
        import numpy
    except ImportError:
        return rows
    return numpy.array(rows, dtype=numpy.int64).reshape(shape)


class Tested(Result):
    """Random tests. `flaw` is None where none was found."""

    @property
    def passed(self):
        """Whether all cases were tried, and none failed."""
        return self.flaw is None and not self.stopped

    @property
    def text(self):
        cases = f"{self.covered['cases']:,} cases, seed {self.seed}"
        if self.flaw is not None:
            return f"{cases}: a flaw was found: {self.flaw['what']}; again: {self.flaw['again']}"
        return f"{cases}: {'stopped, no flaw so far' if self.stopped else 'no flaw was found'}"


def result_of(request, answer, is_json):
    """The answer as the object of its kind."""
    if request.command.name in ("show", "info") and not is_json:
        return Picture(answer.text)
    if not is_json or not answer.text:
        return Text(answer.text)
    kinds = {"run": Run, "check": Run, "compare": Comparison, "stress": Tested}
    return kinds.get(request.command.name, Result)(request, answer)
