"""kport: an emulator of 1-port, k-port and all-port message-passing machines, and a judge of schedules.

    >>> import kport
    >>> r = kport.run("broadcast", on="hypercube:10", ports=1)
    >>> r.measured["rounds"], r.bounds["rounds"], r.lawful
    (10, 10, True)

Each command of the program is a function; each option is a keyword argument, with underscores for dashes.
"""

from . import _commands, _kport
from ._errors import BrokenRule, DoesNotFit, NoCredit, ProgramError, RequestError, RequestWarning, Stopped
from ._grades import Graded, grade
from ._results import Comparison, Picture, Result, Run, Tested
from ._schedules import Schedule, Transfer

__version__ = _kport.__version__

Act, Arrival, Node, Topology, Value = _kport.Act, _kport.Arrival, _kport.Node, _kport.Topology, _kport.Value

globals().update(_commands.functions())
sweep = _commands.sweep

# `from kport import *` leaves Python its own list.
__all__ = ["BrokenRule", "Comparison", "DoesNotFit", "Graded", "NoCredit", "Picture", "ProgramError", "RequestError", "RequestWarning",
           "Result", "Run", "Schedule", "Stopped", "Tested", "Transfer", "grade", "sweep", *(set(_commands.functions()) - {"list"})]
