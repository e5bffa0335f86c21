"""For people who test what they built on callgate: policies, plans, drivers."""
