"""Benchmarks: each measures one room against a floor in the same run."""
