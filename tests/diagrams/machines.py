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


class Session(StateChart):
    class session(State.Parallel):  # noqa: N801 - as above
        class audio(State.Compound):  # noqa: N801 - as above
            class playing(State.Compound):  # noqa: N801 - as above
                normal = State(initial=True)
                fast = State()
                last = HistoryState(type="deep")
                speed = normal.to(fast)
                slow = fast.to(normal)

            paused = State(initial=True)
            resume = paused.to(playing.last)
            pause = playing.to(paused)

        class video(State.Compound):  # noqa: N801 - as above
            hidden = State(initial=True)
            shown = State()
            toggle = hidden.to(shown) | shown.to(hidden)

    off = State(initial=True)
    broken = State(final=True)

    on = off.to(session)
    leave = session.to(off)
    crash = session.to(broken, cond="is_fatal")

    is_fatal = True


class Checkout(StateMachine):
    """More states than a hand would draw."""

    cart = State(initial=True)
    address, shipping_method, payment, authorising = State(), State(), State(), State()
    three_d_secure, authorised, fraud_check, manual_review = State(), State(), State(), State()
    capturing, captured, picking, packing = State(), State(), State(), State()
    waiting_for_carrier, in_transit, out_for_delivery = State(), State(), State()
    lost_in_transit, disputed, refunding = State(), State(), State()
    delivered, returned = State(final=True), State(final=True)
    refunded, cancelled, failed = State(final=True), State(final=True), State(final=True)

    add = cart.to(cart, on="recount")
    forth = cart.to(address, cond="has_items") | address.to(shipping_method)
    forth |= shipping_method.to(payment)
    back = payment.to(shipping_method) | shipping_method.to(address) | address.to(cart)
    pay = payment.to(authorising)
    challenge = authorising.to(three_d_secure)
    approve = authorising.to(authorised) | three_d_secure.to(authorised)
    approve |= manual_review.to(capturing)
    decline = authorising.to(payment, cond="may_retry") | authorising.to(failed)
    decline |= three_d_secure.to(payment) | manual_review.to(refunding)
    check = authorised.to(fraud_check)
    flag = fraud_check.to(manual_review)
    clear = fraud_check.to(capturing)
    capture = capturing.to(captured)
    pick = captured.to(picking)
    pack = picking.to(packing)
    hand_over = packing.to(waiting_for_carrier)
    collect = waiting_for_carrier.to(in_transit)
    scan = in_transit.to(in_transit) | in_transit.to(out_for_delivery, cond="is_near")
    deliver = out_for_delivery.to(delivered)
    miss = out_for_delivery.to(in_transit)
    vanish = in_transit.to(lost_in_transit)
    claim = lost_in_transit.to(refunding)
    dispute = out_for_delivery.to(disputed)
    resolve = disputed.to(refunding) | disputed.to(returned)
    refund = refunding.to(refunded)
    cancel = cart.to(cancelled) | address.to(cancelled) | payment.to(cancelled)
    cancel |= captured.to(refunding)

    has_items = may_retry = is_near = True

    def recount(self):
        """Count again."""


HOSTILE = '"];<script>alert(1)</script>|`#:%% \n--> x\\'


class Awkward(StateMachine):
    """Names that every language reads as something else."""

    end = State(HOSTILE, initial=True)
    note = State("état – 状態")
    s1 = State("a very long name of a state that nobody would ever put on one line of a terminal")

    go = end.to(note) | note.to(s1) | s1.to(end)


ALL = (Light, Order, Player, War, Session, Checkout, Awkward)
