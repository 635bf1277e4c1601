"""engines/diagnosis."""
