"""What a model reads back, in the shapes of its vendors; and what it asks for, as a batch."""
