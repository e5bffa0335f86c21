"""Policies as TOML files.

General layout: `positions` (where a key stands), `keys` (what a key may hold), `tables` (rules and
tests), `files` (all of a file), `writing` (the way back).
"""
