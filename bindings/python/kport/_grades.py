"""kport.grade(): one answer, such as a cell of a notebook has, graded as `kport grade` grades a file of a stranger."""

import inspect
import json
import numbers
import os
import re
import shutil
import subprocess
import tempfile
import textwrap

from . import _requests, _schedules
from ._errors import DoesNotFit, NoCredit, RequestError, Stopped

ENDINGS = {"schedule": ".txt", "python": ".py", "cpp": ".cpp", "numbers": ".txt"}


DRAWN_BYTES = 500_000  # the longest picture that a notebook gets


class NoAnswer(Exception):
    """An answer that no file can be; the text says why."""


class Graded:
    """Points of an answer. `criteria`: points by name. `feedback`: the sentences that the exercise lets a student read."""

    def __init__(self, data, told, page, why):
        one = data["hand_ins"][0]
        self._data = data
        self._page = page
        self.points_of = data["points_of"]
        self.points = 0.0 if why else one["points"]
        self.criteria = {name: 0.0 if why else points for name, points in one["criteria"].items()}
        self.machines = {row["machine"]: 0.0 if why else row["points"] for row in one["machines"]}
        sentences = [f"{test['name']}: {test['output']}" for test in told["tests"] if test["output"]]
        self.feedback = why or "\n".join(sentences)

    @property
    def is_full(self):
        """Whether the answer has all points."""
        return self.points == self.points_of

    def credit(self, of=None):
        """The points, as the value of nbgrader's test cell; `of`: what the cell is worth, if not the exercise's points.

        Raises NoCredit for an answer without points, since nbgrader takes 0 for full credit."""
        if of is not None and not (isinstance(of, (int, float)) and of > 0):
            raise RequestError(f"of={of!r}: want what the cell is worth, a number above 0")
        worth = self.points_of if of is None else of
        credit = round(self.points / self.points_of * worth, 2) if self.points_of else 0.0
        if credit <= 0:
            raise NoCredit(str(self))
        return min(credit, worth)

    def to_dict(self):
        """What `kport grade --json` writes: all sentences, also those that the exercise keeps from students."""
        return self._data

    def __str__(self):
        head = f"{self.points:g} of {self.points_of:g} points"
        return f"{head}: {self.feedback}" if self.feedback else head

    __repr__ = __str__

    def _repr_html_(self):
        import html

        if self._page is None:
            return f"<p>{html.escape(str(self))}</p>"
        body = self._page.partition("<body>")[2].rpartition("</body>")[0]
        if len(body) > DRAWN_BYTES:
            body = body.partition("<svg")[0] + "<p>The picture is too large for a notebook.</p>"
        return f"<div>{body}</div>"


def grade(exercise, answer, *, kind=None, machine=None, already_contained=False):
    """Grades one answer by an exercise. A wrong answer raises nothing: it has fewer points, or none, and a sentence.

    exercise: the path of its JSON file or folder, its text, or a dictionary
    answer: a text (schedule, Python, C++, numbers); rows of a schedule; a node program; {name: number}; {machine: answer}; or a
        pathlib.Path
    kind: "schedule", "python", "cpp" or "numbers"; by default what the text looks like
    machine: grades on this machine of the exercise only, 1 the first
    already_contained: programs run without bubblewrap, in a container that does nothing else

    Programs run in boxes, in other processes, as in `kport grade`: never in this one."""
    if kind is not None and kind not in ENDINGS:
        raise RequestError(f"kind={kind!r}; want one of {', '.join(ENDINGS)}")
    words = [*(["--machine", _requests.word(machine, "machine")] if machine is not None else []),
             *(["--already-contained"] if already_contained else [])]
    with tempfile.TemporaryDirectory(prefix="kport-") as folder:
        asked = _exercise_in(exercise, folder)
        why = None
        try:
            path = _hand_in(answer, kind, folder)
        except NoAnswer as error:
            why, path = str(error), _written("", os.path.join(folder, "answer.txt"))
        return _graded(asked, path, words, folder, why)


def _graded(exercise, path, words, folder, why):
    told, pages = os.path.join(folder, "told.json"), os.path.join(folder, "pages")
    words = [*words, "--json", "--gradescope", told]
    done = _run([exercise, path, *words, "--feedback", pages])
    if done.returncode == 2 and done.stderr.startswith("kport: --feedback: "):  # the exercise shows no pages
        done = _run([exercise, path, *words])
    text = done.stderr.strip().removeprefix("kport: ")
    if done.returncode == 2:
        raise RequestError(text)
    if done.returncode == 3:
        raise DoesNotFit(text)
    if done.returncode not in (0, 1) or not done.stdout:
        raise Stopped(text or f"kport grade ended with status {done.returncode}")
    with open(told, encoding="utf-8") as file:
        for_student = json.load(file)
    page = None
    if why is None and os.path.isdir(pages):
        (name,) = os.listdir(pages)
        with open(os.path.join(pages, name), encoding="utf-8") as file:
            page = file.read()
    return Graded(json.loads(done.stdout), for_student, page, why)


def _run(words):
    try:
        return subprocess.run([_requests.program_path(), "grade", *words], capture_output=True, stdin=subprocess.DEVNULL, text=True,
                              encoding="utf-8", errors="replace", check=False)
    except OSError as error:
        raise RequestError(f"the program kport is not installed: {error}") from None


def _written(text, path):
    with open(path, "w", encoding="utf-8", errors="replace") as file:
        file.write(text)
    return path


def _exercise_in(exercise, folder):
    """The path of the exercise."""
    if isinstance(exercise, dict):
        exercise = json.dumps(exercise)
    if isinstance(exercise, str) and (exercise.lstrip().startswith(("{", "//")) or "\n" in exercise):
        return _written(exercise, os.path.join(folder, "exercise.json"))
    path = _requests.word(exercise, "exercise")
    path = os.path.join(path, "exercise.json") if os.path.isdir(path) else path
    return "./" + path if path.startswith("-") else path


def _hand_in(answer, kind, folder):
    """The path of a file with the answer, or of a folder that holds nothing else. Raises NoAnswer."""
    if isinstance(answer, os.PathLike):
        if not os.path.lexists(answer):
            raise NoAnswer(f"there is no file {os.fspath(answer)!r}; want the answer")
        if not os.path.isdir(answer) or os.path.islink(answer):
            return os.path.join(".", answer)
        place = os.path.join(folder, "hand-ins")
        try:
            shutil.copytree(answer, os.path.join(place, "answer"), symlinks=True)
        except OSError as error:
            raise NoAnswer(f"the folder {os.fspath(answer)!r} cannot be read: {error}") from None
        return place
    if isinstance(answer, dict) and not all(_is_number(value) for value in answer.values()):
        return _folder_of(answer, kind, folder)
    text, ending = _text_of(answer, kind)
    return _written(text, os.path.join(folder, "answer" + ending))


def _folder_of(answers, kind, folder):
    """A folder that holds the answer: a folder with a file for each machine, as `kport grade` names them."""
    place = os.path.join(folder, "hand-ins", "answer")
    os.makedirs(place)
    for machine, answer in answers.items():
        name = re.sub("[:,/]", "-", machine) if isinstance(machine, str) else ""
        if re.fullmatch(r"[\w()x;.+-]{1,100}", name) is None or name.startswith("."):
            raise NoAnswer(f"{_requests.shortened(machine)} is no machine; want such as 'mesh:4x4'")
        text, ending = _text_of(answer, kind)
        _written(text, os.path.join(place, name + ending))
    return os.path.dirname(place)


def _is_number(value):
    return isinstance(value, numbers.Real) and not isinstance(value, bool)


def _text_of(answer, kind):
    """The text of an answer and the ending of its file."""
    if answer is None:
        raise NoAnswer("there is no answer: it is None")
    if isinstance(answer, dict):
        return _numbers_of(answer), ENDINGS["numbers"]
    if inspect.isfunction(answer):
        return _source_of(answer), ENDINGS["python"]
    if isinstance(answer, str):
        return answer, ENDINGS[kind] if kind else ENDINGS[_kind_of(answer)]
    if isinstance(answer, (list, tuple)):
        try:
            text = _schedules.text_of(answer)
        except RequestError as error:
            raise NoAnswer(str(error)) from None
        return text, ".json" if text.lstrip().startswith("{") else ENDINGS["schedule"]
    raise NoAnswer(f"the answer is {_requests.kind(answer)}; want a text, rows of a schedule, a node program, or numbers by name")


def _kind_of(text):
    """What a text looks like."""
    if re.search(r"^\s*(#\s*include\b|using namespace\b|namespace \w+)", text, re.M):
        return "cpp"
    return "python" if re.search(r"^\s*(def \w+\s*\(|import \w|from \w+ import\b)", text, re.M) else "schedule"


def _numbers_of(answers):
    lines = []
    for name, value in answers.items():
        if not isinstance(name, str) or "\n" in name or not _is_number(value):
            raise NoAnswer(f"{_requests.shortened(name)}: {_requests.shortened(value)} is no answer; want names with numbers")
        try:
            lines.append(f"{name}: {_requests.word(value, name)}\n")
        except (RequestError, OverflowError) as error:
            raise NoAnswer(str(error)) from None
    return "".join(lines)


def _source_of(function):
    """The text of a node program, which calls it `program`."""
    try:
        text = textwrap.dedent(inspect.getsource(function))
    except (OSError, TypeError):
        raise NoAnswer(f"the text of {function.__name__} is not known; hand it in as a text") from None
    if function.__name__ == "<lambda>":
        raise NoAnswer("a lambda is no node program; want a function with a yield in it")
    return text if function.__name__ == "program" else f"{text}\n\nprogram = {function.__name__}\n"
