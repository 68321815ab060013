"""What kport raises. The text is the program's own sentence."""

__name__ = "kport"  # tracebacks show kport.RequestError


class RequestError(ValueError):
    """The request is wrong: an unknown name, an impossible combination, a malformed value. The program's status 2."""


class DoesNotFit(MemoryError):
    """The machine does not fit into memory, or a node cannot send or receive what it must. The program's status 3."""


class Stopped(RuntimeError):
    """A request that ended without a report: stopped, or its result could not be written. The program's status 4."""


class ProgramError(RuntimeError):
    """A node program raised an exception, which is the cause of this one. The text names node and round.

    Without a cause, the run refused what the program waited for at `line`."""

    line = None


class BrokenRule(Exception):
    """A run or a schedule broke a rule, or did not deliver. Raised by raise_if_broken() only."""


class NoCredit(AssertionError):
    """An answer without points; the text is its feedback. Raised by Graded.credit() only."""


class RequestWarning(UserWarning):
    """A sentence that the program writes beside its answer."""
