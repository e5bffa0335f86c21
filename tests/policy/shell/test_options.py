"""Options are read as the programs read them: each was once read otherwise, and allowed."""

import pytest

from callgate.policy.shell import allow_reason, understand
from callgate.policy.shell.options import Options, read

GIVES_BACK = Options("cdt", needs="c t", undone="t", undoes="d", asks_operands="it replaces")


@pytest.mark.parametrize(
    ("words", "asks"),
    [
        (("-t", "f"), False),
        (("-td", "f"), True),
        (("-c", "-d", "f"), False),
        (("f", "--", "-c"), True),
        (("-d",), False),
    ],
)
def test_what_is_needed_must_be_given_and_not_be_taken_back(words, asks):
    assert bool(read(GIVES_BACK, ("p", *words), 1)) is asks


@pytest.mark.parametrize(
    ("words", "asks"),
    [
        (("-L", "2"), False),
        (("-aL", "2"), False),
        (("-L2", "-o", "f"), True),
        (("-Lo", "1", "f"), True),
        (("-L", "-o", "f"), False),
    ],
)
def test_a_value_apart_is_the_next_word_whatever_letters_follow(words, asks):
    assert bool(read(Options("a", apart="L"), ("p", *words), 1)) is asks


@pytest.mark.parametrize(
    ("words", "asks"), [(("-j8",), False), (("-j",), False), (("-j", "--eval=x"), True)]
)
def test_an_attached_value_is_never_the_next_word(words, asks):
    assert bool(read(Options(attached="j"), ("p", *words), 1)) is asks


def test_options_may_go_on_after_two_dashes():
    assert read(Options(words="-name=", ends=False), ("find", "--", ".", "-delete"), 1)
    assert not read(Options(words="-name="), ("p", "--", ".", "-delete"), 1)


@pytest.mark.parametrize("value", ["--output=x", "-o", "--pre"])
def test_a_value_that_looks_like_an_option_asks(value):
    assert read(Options("", "k", "key="), ("p", "-k", value), 1)
    assert read(Options("", "k", "key="), ("p", "--key", value), 1)
    assert not read(Options("", "k", "key="), ("p", "-k", "-1"), 1)


def test_cpio_lists_and_never_unpacks():
    (lists,) = understand("cpio -tv").commands
    (unpacks,) = understand("cpio -i").commands
    assert allow_reason(("cpio",), lists) == ""
    assert "-i" in allow_reason(("cpio",), unpacks)
