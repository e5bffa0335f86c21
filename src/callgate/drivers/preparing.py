"""Requests become jobs: the tool is looked up and its invocation built, before the kernel is told.

Rule 1: what a model got wrong is a value (`Unknown`, `Invalid`), never an exception.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from callgate.drivers.failures import GO_ON, text_of_error
from callgate.drivers.jobs import Job
from callgate.kernel.values import Invalid, Request, Unknown

if TYPE_CHECKING:
    from collections.abc import Iterable

    from callgate.tools.registry import Entry, Registry


def prepare(requests: Request | Iterable[Request], registry: Registry) -> list[Job]:
    """One job for each request."""
    asked = (requests,) if isinstance(requests, Request) else requests
    if not hasattr(asked, "__iter__"):
        raise TypeError(f"requests is {asked!r}; a callgate.Request, or a list, was expected")
    return [_job(request, registry) for request in asked]


def _job(request: Request, registry: Registry) -> Job:
    if type(request) is not Request:
        raise TypeError(
            f"a {type(request).__name__} is no request: callgate.Request(call_id, name, args)"
            " was expected"
        )
    if request.problem is not None:
        return Job(request, None, None)
    entry = registry.get(request.name)
    if entry is None:
        return Job(_with(request, Unknown(registry.unknown(request.name))), None, None)
    try:
        invocation = entry.build(request.call_id, request.args)
    except GO_ON:
        raise
    except BaseException as error:
        return Job(_with(request, Invalid(text_of_error(error))), entry, None)
    if not entry.parallel or (entry.timeout_ms is not None and request.timeout_ms is None):
        request = _with(request, None, entry)
    return Job(request, entry, invocation)


def _with(
    request: Request, problem: Unknown | Invalid | None, entry: Entry | None = None
) -> Request:
    """The request with what is known of it and of its tool."""
    parallel, timeout_ms = request.parallel, request.timeout_ms
    if entry is not None:
        parallel = parallel and entry.parallel
        timeout_ms = entry.timeout_ms if timeout_ms is None else timeout_ms
    return Request(request.call_id, request.name, request.args, problem, parallel, timeout_ms)
