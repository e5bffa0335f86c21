"""Pictures of the machine, from the class itself: extract, then render as text."""
