"""The small project that `callgate demo` works on, and the batch that a model could have asked for.

Rule 1: everything is real: real files in a folder of its own, a mistake, and tests that find it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from pathlib import Path

_PRICES: Final = '''\
"""What a basket costs."""


def total(prices):
    return sum(prices)


def with_discount(prices, percent):
    return total(prices) * percent / 100
'''
_TESTS: Final = """\
import time
import unittest

from prices import total, with_discount


class Basket(unittest.TestCase):
    def setUp(self):
        time.sleep(0.4)  # so that the output can be watched

    def test_empty_basket_costs_nothing(self):
        self.assertEqual(total([]), 0)

    def test_prices_add_up(self):
        self.assertEqual(total([3, 4]), 7)

    def test_ten_percent_off(self):
        self.assertEqual(with_discount([50, 50], 10), 90)

    def test_no_discount(self):
        self.assertEqual(with_discount([50], 0), 50)
"""
_README: Final = "# Prices\n\nA basket, and a discount that is wrong.\n"
_FILES: Final = {"prices.py": _PRICES, "test_prices.py": _TESTS, "README.md": _README}

CALLS: Final[tuple[tuple[str, dict[str, Any]], ...]] = (
    ("read_file", {"file_path": "prices.py"}),
    ("search_text", {"pattern": "discount"}),
    (
        "edit_file",
        {
            "file_path": "prices.py",
            "old_string": "    return total(prices) * percent / 100\n",
            "new_string": "    return total(prices) * (100 - percent) / 100\n",
        },
    ),
    ("shell", {"command": "python3 -m unittest -v"}),
)
"""Name and arguments of each call: read, search, edit, run."""


def lay_out(folder: Path) -> None:
    """Write the project into a folder."""
    for name, text in _FILES.items():
        (folder / name).write_text(text, encoding="utf-8")
