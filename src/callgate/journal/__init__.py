"""What happened, as data that can be kept: the codec, the record of a run, and its replay."""
