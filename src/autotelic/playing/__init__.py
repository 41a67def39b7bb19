"""Watch skills: films of them, and a live window."""
