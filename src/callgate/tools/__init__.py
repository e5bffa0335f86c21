"""Tools: what they are to a driver, how they are found, and how one is made of a function."""
