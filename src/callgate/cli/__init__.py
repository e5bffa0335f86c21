"""The command `callgate`."""
