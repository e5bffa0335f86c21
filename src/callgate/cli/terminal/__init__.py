"""What a person sees and types: the board of calls, the questions, the keyboard."""
