"""What the kernel says when a driver breaks the contract.

Rule 1: one sentence each: what, where, the value, and what would have been allowed.
Rule 2: an error leaves the state untouched; a person's late or odd answer is never an error.
"""

from __future__ import annotations

from typing import Self


def shown(value: object) -> str:
    """A value in an error text: never more than a line, whatever it is (a cycle, a list in a list).

    >>> shown("b1"), shown([[]])
    ("'b1'", 'a list')
    """
    if isinstance(value, (str, int, float)) or value is None:
        return repr(value)[:80]
    return f"a {type(value).__name__}"


class KernelError(Exception):
    """Base of all errors of the kernel; only its kinds are raised.

    >>> KernelError("no")
    Traceback (most recent call last):
    TypeError: KernelError is a family: raise one of its kinds
    """

    def __new__(cls, *_args: object, **_names: object) -> Self:
        if cls is KernelError:
            raise TypeError("KernelError is a family: raise one of its kinds")
        return super().__new__(cls)


class IllegalEvent(KernelError):
    """The driver reported something that cannot have happened; the state is unchanged.

    >>> str(IllegalEvent(what="finished", where="call 1 'c1'", value="in state validating",
    ...                  allowed="validated, cancel"))
    "call 1 'c1': finished is not allowed in state validating (allowed: validated, cancel)"
    """

    def __init__(self, *, what: str, where: str, value: str, allowed: str) -> None:
        self.what, self.where, self.value, self.allowed = what, where, value, allowed
        super().__init__(f"{where}: {what} is not allowed {value} (allowed: {allowed})")


class UnknownCall(KernelError):
    """An event names a call that was never given out.

    >>> str(UnknownCall(what="finished", call=9, known=3))
    'call 9: finished names a call that was never submitted (allowed: serials below 3)'
    """

    def __init__(self, *, what: str, call: int, known: int) -> None:
        self.what, self.call, self.known = what, call, known
        super().__init__(
            f"call {shown(call)}: {what} names a call that was never submitted"
            f" (allowed: serials below {known})"
        )


class LimitExceeded(KernelError):
    """Something is larger than its named limit.

    >>> str(LimitExceeded(what="calls", value=5, limit=4, where="batch 'b1'"))
    "batch 'b1': calls is 5, above its limit (allowed: at most 4)"
    """

    def __init__(self, *, what: str, value: int, limit: int, where: str) -> None:
        self.what, self.value, self.limit, self.where = what, value, limit, where
        super().__init__(f"{where}: {what} is {value}, above its limit (allowed: at most {limit})")


class InvariantViolation(KernelError):
    """A bug in callgate: a state that must not exist.

    >>> str(InvariantViolation(invariant="INV-10", detail="running is 2, a recount gives 1"))
    'INV-10 is violated: running is 2, a recount gives 1 (a bug in callgate, please report it)'
    """

    def __init__(self, *, invariant: str, detail: str) -> None:
        self.invariant, self.detail = invariant, detail
        super().__init__(f"{invariant} is violated: {detail} (a bug in callgate, please report it)")
