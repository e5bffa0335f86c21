"""Tables: docker, podman and kubectl, by sub-command.

Rule 1: what shows is harmless; what starts, stops or changes something asks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from callgate.policy.shell.commands import names
from callgate.policy.shell.options import Options, Problem

if TYPE_CHECKING:
    from collections.abc import Sequence

COMPOSE_SHOWS = names("ps logs ls images top version port config")


def _compose(operands: Sequence[tuple[int, str]]) -> Problem | None:
    """`docker compose ps` shows; `up` and `run` start programs."""
    wrong = [item for item in operands[:1] if item[1] not in COMPOSE_SHOWS]
    return (wrong[0][0], f"{wrong[0][1]!a} is not known to only show") if wrong else None


DOCKER_TABLE = {
    name: Options(
        "aqsnft",
        "",
        "all quiet filter= format= no-trunc tail= since= until= timestamps follow "
        "size latest last= no-stream details services",
    )
    for name in (
        "ps",
        "images",
        "logs",
        "inspect",
        "version",
        "info",
        "port",
        "top",
        "stats",
        "diff",
        "history",
        "search",
    )
}
DOCKER_TABLE["compose"] = Options(
    "aqft",
    "n",
    "all quiet follow timestamps no-color tail= since= until= no-log-prefix services format=",
    check=_compose,
)
KUBECTL_TABLE = {
    name: Options(
        "Aowfp",
        "nlLc",
        "all-namespaces namespace= output= selector= watch follow tail= since= container= "
        "previous show-labels sort-by= no-headers short client containers timestamps",
        harmful="kubeconfig template server token",
    )
    for name in (
        "get",
        "describe",
        "logs",
        "version",
        "top",
        "explain",
        "api-resources",
        "cluster-info",
    )
}
