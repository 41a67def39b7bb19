"""The commands of the shell, one file each: `main(words)` parses its words and does the work."""
