"""The shell's words and what they stand for, both ways: flags to settings, settings to flags."""
