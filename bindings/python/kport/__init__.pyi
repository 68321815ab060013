"""Types of kport; written by python -m kport._stubs."""

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

def run(
    what: Union[str, _Program, None] = ...,
    operation: Optional[str] = ...,
    *,
    on: Any = ...,
    broken: _Value = ...,
    unaware: Optional[bool] = ...,
    ports: _Value = ...,
    duplex: _Value = ...,
    links: _Value = ...,
    pairwise: Optional[bool] = ...,
    noho: _Value = ...,
    switching: _Value = ...,
    switch_limit: _Value = ...,
    routing: _Value = ...,
    combining: _Value = ...,
    policy: _Value = ...,
    rules: _Value = ...,
    format: _Value = ...,
    undirected: Optional[bool] = ...,
    trunks: Optional[bool] = ...,
    capacity_by: _Value = ...,
    simplify: Optional[bool] = ...,
    largest: Optional[bool] = ...,
    header: _Value = ...,
    separator: _Value = ...,
    ports_by: _Value = ...,
    td_by: _Value = ...,
    tm_by: _Value = ...,
    switches: _Value = ...,
    algorithm: _Value = ...,
    intra: _Value = ...,
    inter: _Value = ...,
    keep: _Value = ...,
    dimensions: _Value = ...,
    arity: _Value = ...,
    gather: _Value = ...,
    aggregate: _Value = ...,
    ports_at_most: _Value = ...,
    source: _Value = ...,
    bytes: _Value = ...,
    packets: _Value = ...,
    sources: _Value = ...,
    counts: _Value = ...,
    sizes: _Value = ...,
    members: _Value = ...,
    relay: _Value = ...,
    groups: _Value = ...,
    promise: _Value = ...,
    permutation: _Value = ...,
    payload: _Value = ...,
    op: _Value = ...,
    type: _Value = ...,
    values: _Value = ...,
    prices: _Value = ...,
    ts: _Value = ...,
    td: _Value = ...,
    tm: _Value = ...,
    slow: _Value = ...,
    calibrated: _Value = ...,
    engine: _Value = ...,
    partition_nodes: _Value = ...,
    threads: _Value = ...,
    seed: _Value = ...,
    inject: _Value = ...,
    order: _Value = ...,
    max_rounds: _Value = ...,
    until: _Value = ...,
    per_round: Optional[bool] = ...,
    hotspots: Optional[bool] = ...,
    json: Optional[bool] = ...,
    reproducible: Optional[bool] = ...,
    record: _Value = ...,
    trace: _Value = ...,
    picture: _Value = ...,
    progress: _Progress = ...,
) -> Run: ...
def compare(
    operation: Optional[str] = ...,
    *,
    on: Any = ...,
    sweep: _Value = ...,
    broken: _Value = ...,
    ports: _Value = ...,
    duplex: _Value = ...,
    links: _Value = ...,
    pairwise: Optional[bool] = ...,
    noho: _Value = ...,
    switching: _Value = ...,
    switch_limit: _Value = ...,
    routing: _Value = ...,
    combining: _Value = ...,
    policy: _Value = ...,
    rules: _Value = ...,
    format: _Value = ...,
    undirected: Optional[bool] = ...,
    trunks: Optional[bool] = ...,
    capacity_by: _Value = ...,
    simplify: Optional[bool] = ...,
    largest: Optional[bool] = ...,
    header: _Value = ...,
    separator: _Value = ...,
    ports_by: _Value = ...,
    td_by: _Value = ...,
    tm_by: _Value = ...,
    switches: _Value = ...,
    algorithm: _Value = ...,
    with_: _Value = ...,
    intra: _Value = ...,
    inter: _Value = ...,
    keep: _Value = ...,
    dimensions: _Value = ...,
    arity: _Value = ...,
    gather: _Value = ...,
    aggregate: _Value = ...,
    ports_at_most: _Value = ...,
    source: _Value = ...,
    bytes: _Value = ...,
    packets: _Value = ...,
    sources: _Value = ...,
    counts: _Value = ...,
    sizes: _Value = ...,
    members: _Value = ...,
    relay: _Value = ...,
    groups: _Value = ...,
    promise: _Value = ...,
    permutation: _Value = ...,
    payload: _Value = ...,
    op: _Value = ...,
    type: _Value = ...,
    values: _Value = ...,
    message: _Value = ...,
    prices: _Value = ...,
    ts: _Value = ...,
    td: _Value = ...,
    tm: _Value = ...,
    slow: _Value = ...,
    engine: _Value = ...,
    threads: _Value = ...,
    seed: _Value = ...,
    order: _Value = ...,
    max_rounds: _Value = ...,
    per_round: Optional[bool] = ...,
    json: Optional[bool] = ...,
    reproducible: Optional[bool] = ...,
    csv: Optional[bool] = ...,
    plot: _Value = ...,
    plot_of: _Value = ...,
    plot_over: _Value = ...,
    plot_as: _Value = ...,
    progress: _Progress = ...,
) -> Comparison: ...
def bounds(
    operation: Optional[str] = ...,
    *,
    on: Any = ...,
    broken: _Value = ...,
    ports: _Value = ...,
    duplex: _Value = ...,
    links: _Value = ...,
    pairwise: Optional[bool] = ...,
    noho: _Value = ...,
    switching: _Value = ...,
    switch_limit: _Value = ...,
    routing: _Value = ...,
    combining: _Value = ...,
    policy: _Value = ...,
    format: _Value = ...,
    undirected: Optional[bool] = ...,
    trunks: Optional[bool] = ...,
    capacity_by: _Value = ...,
    simplify: Optional[bool] = ...,
    largest: Optional[bool] = ...,
    header: _Value = ...,
    separator: _Value = ...,
    ports_by: _Value = ...,
    td_by: _Value = ...,
    tm_by: _Value = ...,
    switches: _Value = ...,
    source: _Value = ...,
    bytes: _Value = ...,
    packets: _Value = ...,
    sources: _Value = ...,
    counts: _Value = ...,
    sizes: _Value = ...,
    members: _Value = ...,
    relay: _Value = ...,
    groups: _Value = ...,
    promise: _Value = ...,
    permutation: _Value = ...,
    op: _Value = ...,
    prices: _Value = ...,
    ts: _Value = ...,
    td: _Value = ...,
    tm: _Value = ...,
    slow: _Value = ...,
    order: _Value = ...,
    json: Optional[bool] = ...,
    progress: _Progress = ...,
) -> Result: ...
def explain(
    operation: Optional[str] = ...,
    *,
    on: Any = ...,
    broken: _Value = ...,
    ports: _Value = ...,
    duplex: _Value = ...,
    links: _Value = ...,
    pairwise: Optional[bool] = ...,
    noho: _Value = ...,
    switching: _Value = ...,
    switch_limit: _Value = ...,
    routing: _Value = ...,
    combining: _Value = ...,
    policy: _Value = ...,
    format: _Value = ...,
    undirected: Optional[bool] = ...,
    trunks: Optional[bool] = ...,
    capacity_by: _Value = ...,
    simplify: Optional[bool] = ...,
    largest: Optional[bool] = ...,
    header: _Value = ...,
    separator: _Value = ...,
    ports_by: _Value = ...,
    td_by: _Value = ...,
    tm_by: _Value = ...,
    switches: _Value = ...,
    algorithm: _Value = ...,
    intra: _Value = ...,
    inter: _Value = ...,
    keep: _Value = ...,
    dimensions: _Value = ...,
    arity: _Value = ...,
    gather: _Value = ...,
    aggregate: _Value = ...,
    ports_at_most: _Value = ...,
    source: _Value = ...,
    bytes: _Value = ...,
    packets: _Value = ...,
    sources: _Value = ...,
    counts: _Value = ...,
    sizes: _Value = ...,
    members: _Value = ...,
    relay: _Value = ...,
    groups: _Value = ...,
    promise: _Value = ...,
    permutation: _Value = ...,
    payload: _Value = ...,
    op: _Value = ...,
    message: _Value = ...,
    prices: _Value = ...,
    ts: _Value = ...,
    td: _Value = ...,
    tm: _Value = ...,
    slow: _Value = ...,
    order: _Value = ...,
    json: Optional[bool] = ...,
    plot: _Value = ...,
    progress: _Progress = ...,
) -> Result: ...
def info(
    on: Any = ...,
    *,
    broken: _Value = ...,
    format: _Value = ...,
    undirected: Optional[bool] = ...,
    trunks: Optional[bool] = ...,
    capacity_by: _Value = ...,
    simplify: Optional[bool] = ...,
    largest: Optional[bool] = ...,
    header: _Value = ...,
    separator: _Value = ...,
    ports_by: _Value = ...,
    td_by: _Value = ...,
    tm_by: _Value = ...,
    switches: _Value = ...,
    json: Optional[bool] = ...,
    picture: _Value = ...,
    progress: _Progress = ...,
) -> Result: ...
def list(
    names: Any = ...,
    operation: Optional[str] = ...,
    *,
    json: Optional[bool] = ...,
    progress: _Progress = ...,
) -> Result: ...
def show(
    what: Any = ...,
    operation: Optional[str] = ...,
    *,
    on: Any = ...,
    broken: _Value = ...,
    ports: _Value = ...,
    duplex: _Value = ...,
    links: _Value = ...,
    pairwise: Optional[bool] = ...,
    noho: _Value = ...,
    switching: _Value = ...,
    switch_limit: _Value = ...,
    routing: _Value = ...,
    combining: _Value = ...,
    policy: _Value = ...,
    rules: _Value = ...,
    format: _Value = ...,
    undirected: Optional[bool] = ...,
    trunks: Optional[bool] = ...,
    capacity_by: _Value = ...,
    simplify: Optional[bool] = ...,
    largest: Optional[bool] = ...,
    header: _Value = ...,
    separator: _Value = ...,
    ports_by: _Value = ...,
    td_by: _Value = ...,
    tm_by: _Value = ...,
    switches: _Value = ...,
    algorithm: _Value = ...,
    intra: _Value = ...,
    inter: _Value = ...,
    keep: _Value = ...,
    dimensions: _Value = ...,
    arity: _Value = ...,
    gather: _Value = ...,
    aggregate: _Value = ...,
    ports_at_most: _Value = ...,
    source: _Value = ...,
    bytes: _Value = ...,
    packets: _Value = ...,
    sources: _Value = ...,
    counts: _Value = ...,
    sizes: _Value = ...,
    members: _Value = ...,
    relay: _Value = ...,
    groups: _Value = ...,
    promise: _Value = ...,
    permutation: _Value = ...,
    payload: _Value = ...,
    op: _Value = ...,
    type: _Value = ...,
    values: _Value = ...,
    prices: _Value = ...,
    ts: _Value = ...,
    td: _Value = ...,
    tm: _Value = ...,
    slow: _Value = ...,
    engine: _Value = ...,
    threads: _Value = ...,
    seed: _Value = ...,
    inject: _Value = ...,
    order: _Value = ...,
    max_rounds: _Value = ...,
    until: _Value = ...,
    as_: _Value = ...,
    output: _Value = ...,
    width: _Value = ...,
    rounds: _Value = ...,
    shape: _Value = ...,
    progress: _Progress = ...,
) -> Picture: ...
def check(
    schedule: Any = ...,
    operation: Optional[str] = ...,
    *,
    on: Any = ...,
    broken: _Value = ...,
    ports: _Value = ...,
    duplex: _Value = ...,
    links: _Value = ...,
    pairwise: Optional[bool] = ...,
    noho: _Value = ...,
    switching: _Value = ...,
    switch_limit: _Value = ...,
    routing: _Value = ...,
    combining: _Value = ...,
    policy: _Value = ...,
    rules: _Value = ...,
    format: _Value = ...,
    undirected: Optional[bool] = ...,
    trunks: Optional[bool] = ...,
    capacity_by: _Value = ...,
    simplify: Optional[bool] = ...,
    largest: Optional[bool] = ...,
    header: _Value = ...,
    separator: _Value = ...,
    ports_by: _Value = ...,
    td_by: _Value = ...,
    tm_by: _Value = ...,
    switches: _Value = ...,
    source: _Value = ...,
    bytes: _Value = ...,
    packets: _Value = ...,
    counts: _Value = ...,
    sizes: _Value = ...,
    members: _Value = ...,
    promise: _Value = ...,
    prices: _Value = ...,
    ts: _Value = ...,
    td: _Value = ...,
    tm: _Value = ...,
    slow: _Value = ...,
    per_round: Optional[bool] = ...,
    hotspots: Optional[bool] = ...,
    json: Optional[bool] = ...,
    reproducible: Optional[bool] = ...,
    csv: Optional[bool] = ...,
    repair: Optional[bool] = ...,
    progress: _Progress = ...,
) -> Run: ...
def convert(
    what: Any = ...,
    file: _Word = ...,
    *,
    on: Any = ...,
    broken: _Value = ...,
    ports: _Value = ...,
    duplex: _Value = ...,
    links: _Value = ...,
    pairwise: Optional[bool] = ...,
    switching: _Value = ...,
    format: _Value = ...,
    undirected: Optional[bool] = ...,
    trunks: Optional[bool] = ...,
    capacity_by: _Value = ...,
    simplify: Optional[bool] = ...,
    largest: Optional[bool] = ...,
    header: _Value = ...,
    separator: _Value = ...,
    ports_by: _Value = ...,
    td_by: _Value = ...,
    tm_by: _Value = ...,
    switches: _Value = ...,
    operation: _Value = ...,
    source: _Value = ...,
    bytes: _Value = ...,
    packets: _Value = ...,
    counts: _Value = ...,
    sizes: _Value = ...,
    promise: _Value = ...,
    to: _Value = ...,
    progress: _Progress = ...,
) -> Text: ...
def search(
    operation: Optional[str] = ...,
    *,
    on: Any = ...,
    broken: _Value = ...,
    ports: _Value = ...,
    duplex: _Value = ...,
    links: _Value = ...,
    pairwise: Optional[bool] = ...,
    switching: _Value = ...,
    switch_limit: _Value = ...,
    combining: _Value = ...,
    format: _Value = ...,
    undirected: Optional[bool] = ...,
    trunks: Optional[bool] = ...,
    capacity_by: _Value = ...,
    simplify: Optional[bool] = ...,
    largest: Optional[bool] = ...,
    header: _Value = ...,
    separator: _Value = ...,
    ports_by: _Value = ...,
    td_by: _Value = ...,
    tm_by: _Value = ...,
    switches: _Value = ...,
    mode: _Value = ...,
    least: _Value = ...,
    source: _Value = ...,
    packets: _Value = ...,
    promise: _Value = ...,
    permutation: _Value = ...,
    for_: _Value = ...,
    json: Optional[bool] = ...,
    reproducible: Optional[bool] = ...,
    record: _Value = ...,
    proof: _Value = ...,
    progress: _Progress = ...,
) -> Result: ...
def stress(
    *,
    on: Any = ...,
    broken: _Value = ...,
    algorithm: _Value = ...,
    operation: _Value = ...,
    threads: _Value = ...,
    seed: _Value = ...,
    inject: _Value = ...,
    for_: _Value = ...,
    cases: _Value = ...,
    case: _Value = ...,
    nodes: _Value = ...,
    json: Optional[bool] = ...,
    progress: _Progress = ...,
) -> Tested: ...
def tolerance(
    operation: Optional[str] = ...,
    *,
    on: Any = ...,
    broken: _Value = ...,
    unaware: Optional[bool] = ...,
    ports: _Value = ...,
    duplex: _Value = ...,
    links: _Value = ...,
    pairwise: Optional[bool] = ...,
    switching: _Value = ...,
    switch_limit: _Value = ...,
    combining: _Value = ...,
    format: _Value = ...,
    undirected: Optional[bool] = ...,
    trunks: Optional[bool] = ...,
    capacity_by: _Value = ...,
    simplify: Optional[bool] = ...,
    largest: Optional[bool] = ...,
    header: _Value = ...,
    separator: _Value = ...,
    ports_by: _Value = ...,
    td_by: _Value = ...,
    tm_by: _Value = ...,
    switches: _Value = ...,
    algorithm: _Value = ...,
    source: _Value = ...,
    packets: _Value = ...,
    permutation: _Value = ...,
    threads: _Value = ...,
    seed: _Value = ...,
    for_: _Value = ...,
    nodes: _Value = ...,
    sample: _Value = ...,
    json: Optional[bool] = ...,
    progress: _Progress = ...,
) -> Result: ...
def grade(
    exercise: Union[str, PathLike[str], Dict[str, Any]],
    answer: object,
    *,
    kind: Optional[str] = ...,
    machine: Optional[int] = ...,
    already_contained: bool = ...,
) -> Graded: ...
def sweep(operation: str, *, on: _Value, progress: _Progress = ..., **options: Any) -> Comparison: ...
