"""Policies: who may run what. Pure decisions, each with the rule that made it."""
