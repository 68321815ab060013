"""The type stubs, from the tables: python -m kport._stubs > __init__.pyi."""

from . import _commands

_HEAD = '''"""Types of kport; written by python -m kport._stubs."""

from collections.abc import Callable, Generator, Sequence
from os import PathLike
from typing import Any, Dict, List, NamedTuple, Optional, Union

_Word = Union[str, int, float, PathLike[str]]
_Value = Union[_Word, Sequence[_Word], bool, None]
_Progress = Union[Callable[[int, int, int, int], object], bool, None]

__version__: str

class RequestError(ValueError): ...
class DoesNotFit(MemoryError): ...
class Stopped(RuntimeError): ...
class ProgramError(RuntimeError):
    line: Optional[int]

class BrokenRule(Exception): ...
class NoCredit(AssertionError): ...
class RequestWarning(UserWarning): ...

class Act: ...

class Value:
    @property
    def contributions(self) -> List[int]: ...

class Arrival:
    sender: int
    port: int
    round: int
    @property
    def packet(self) -> int: ...
    @property
    def value(self) -> Value: ...

class Topology:
    nodes: int
    def degree(self, node: int) -> int: ...
    def ports(self, node: int) -> int: ...
    def neighbour(self, node: int, port: int) -> Optional[int]: ...
    def distance(self, one: int, other: int) -> int: ...

class Node:
    id: int
    nodes: int
    name: str
    degree: int
    ports: int
    port_limit: int
    round: int
    source: int
    is_source: bool
    packets: int
    held: List[int]
    has_arrival: bool
    def neighbour(self, port: int) -> Optional[int]: ...
    def topology(self) -> Topology: ...
    def send(self, port: int, packets: Any = ...) -> Act: ...
    def send_to(self, node: int, packets: Any = ...) -> Act: ...
    def receive(self, port: Optional[int] = ...) -> Act: ...
    def receive_from(self, node: int) -> Act: ...
    def next_round(self) -> Act: ...
    def until(self, round: int) -> Act: ...
    def contribution(self) -> Value: ...
    def fold(self, left: Value, right: Value) -> Value: ...
    def merge(self, one: Value, other: Value) -> Value: ...
    def whole(self, value: Value) -> Value: ...
    def result(self, value: Value) -> None: ...

_Program = Callable[[Node], Generator[Union[Act, List[Act]], Any, object]]

class Transfer(NamedTuple):
    round: int
    sender: Union[int, str]
    receiver: Union[int, str]
    packets: tuple[Union[int, str], ...]
    via: Optional[tuple[Union[int, str], ...]] = ...

class Schedule(tuple[Transfer, ...]):
    json: str

class Text(str): ...

class Picture(Text):
    def save(self, file: Union[str, PathLike[str]]) -> None: ...

class Result:
    json: str
    status: int
    warnings: List[str]
    @property
    def text(self) -> str: ...
    @property
    def files(self) -> Dict[str, str]: ...
    def to_dict(self) -> Dict[str, Any]: ...
    def __getattr__(self, name: str) -> Any: ...

class Run(Result):
    lawful: bool
    verdict: str
    measured: Dict[str, float]
    bounds: Dict[str, Optional[float]]
    @property
    def violations(self) -> List[str]: ...
    @property
    def rounds_table(self) -> Any: ...
    @property
    def schedule(self) -> Schedule: ...
    def raise_if_broken(self) -> Run: ...
    def load(self, of: str) -> Any: ...
    def picture(self, as_: str = ..., **options: Any) -> Picture: ...
    def show(self) -> Picture: ...

class Comparison(Result):
    @property
    def rows(self) -> List[Dict[str, Any]]: ...
    def to_pandas(self) -> Any: ...

class Tested(Result):
    @property
    def passed(self) -> bool: ...

class Graded:
    points: float
    points_of: float
    criteria: Dict[str, float]
    machines: Dict[str, float]
    feedback: str
    @property
    def is_full(self) -> bool: ...
    def credit(self, of: Optional[float] = ...) -> float: ...
    def to_dict(self) -> Dict[str, Any]: ...

'''

_RESULTS = {"run": "Run", "check": "Run", "compare": "Comparison", "stress": "Tested", "show": "Picture", "convert": "Text"}


def _parameter(option):
    if option.is_flag:
        return "Optional[bool]"
    return "Any" if option.name == "--on" else "_Value"


def text():
    """The text of __init__.pyi."""
    lines = []
    for command in _commands.commands().values():
        places, keywords = _commands.parameters(command)
        kinds = {"operation": "Optional[str]", "file": "_Word", **{option.keyword: _parameter(option) for option in command.options}}
        what = "Union[str, _Program, None]" if command.name == "run" else "Any"
        parameters = [f"{name}: {what if name == 'what' else kinds.get(name, 'Any')} = ..." for name in places]
        parameters += ["*", *(f"{name}: {kinds[name]} = ..." for name in keywords), "progress: _Progress = ..."]
        lines.append(f"def {command.name}(\n    " + ",\n    ".join(parameters) +
                     f",\n) -> {_RESULTS.get(command.name, 'Result')}: ...")
    lines.append("def grade(\n    exercise: Union[str, PathLike[str], Dict[str, Any]],\n    answer: object,\n    *,\n    kind: Optional[str] = ...,\n"
                 "    machine: Optional[int] = ...,\n    already_contained: bool = ...,\n) -> Graded: ...")
    lines.append("def sweep(operation: str, *, on: _Value, progress: _Progress = ..., **options: Any) -> Comparison: ...")
    return _HEAD + "\n".join(lines) + "\n"


if __name__ == "__main__":
    print(text(), end="")
