"""Proof by search: every state that small batches can reach, looked at once.

Rule 1: nothing here knows the kernel's inside; it takes steps, and judges what comes out.
"""
