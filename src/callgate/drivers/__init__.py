"""Drivers: who obeys the kernel's orders and reports the facts. The only rooms with a clock."""
