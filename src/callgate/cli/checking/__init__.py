"""The parts of `callgate check`: what was asked, how far it is, what it found."""
