"""What `callgate explain` reads and shows: `stream` for programs, `tree` for people."""
