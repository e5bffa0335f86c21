"""What happened, as data that can be kept: the codec of events and effects."""
