"""Pictures of what really happened: one replay is read once, as a story, and told in many ways."""
