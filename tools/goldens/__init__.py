"""What the library gives, kept, so that a change of form can be told from one of numbers."""
