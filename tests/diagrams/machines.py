"""Machines as users write them: plain, guarded, nested, parallel, awkward."""

from statemachine import State, StateChart, StateMachine
from statemachine.state import HistoryState


class Light(StateMachine):
    green = State(initial=True)
    yellow = State()
    red = State()

    cycle = green.to(yellow) | yellow.to(red) | red.to(green)


class Order(StateMachine):
    draft = State(initial=True)
    placed = State()
    paid = State()
    shipped = State(final=True)
    cancelled = State(final=True)
    failed = State(final=True)

    add = draft.to(draft, on="recount")
    place = draft.to(placed, cond="has_items")
    pay = placed.to(paid, cond="card_ok", on="charge", after="receipt") | placed.to(
        failed, unless="card_ok"
    )
    ship = paid.to(shipped)
    cancel = draft.to(cancelled) | placed.to(cancelled) | paid.to(cancelled, on="refund")

    has_items = card_ok = True

    def recount(self):
        """Count again."""

    def charge(self):
        """Take the money."""

    def refund(self):
        """Give it back."""

    def receipt(self):
        """Say thank you."""

    def on_enter_paid(self):
        """Tell the warehouse."""


class Player(StateChart):
    class playing(State.Compound):  # noqa: N801 - a state's name is its class's
        normal = State(initial=True)
        fast = State()
        last = HistoryState()
        faster = normal.to(fast)
        slower = fast.to(normal)

    stopped = State(initial=True)
    ended = State(final=True)

    play = stopped.to(playing)
    resume = stopped.to(playing.last)
    stop = playing.to(stopped)
    end = playing.to(ended)


class War(StateChart):
    class war(State.Parallel):  # noqa: N801 - as above
        class frodo(State.Compound):  # noqa: N801 - as above
            shire = State(initial=True)
            mordor = State(final=True)
            go = shire.to(mordor)

        class aragorn(State.Compound):  # noqa: N801 - as above
            ranger = State(initial=True)
            king = State(final=True)
            crown = ranger.to(king)

    peace = State(final=True)
    done_state_war = war.to(peace)


HOSTILE = '"];<script>alert(1)</script>|`#:%% \n--> x\\'


class Awkward(StateMachine):
    """Names that every language reads as something else."""

    end = State(HOSTILE, initial=True)
    note = State("état – 状態")
    s1 = State("a very long name of a state that nobody would ever put on one line of a terminal")

    go = end.to(note) | note.to(s1) | s1.to(end)


ALL = (Light, Order, Player, War, Awkward)
