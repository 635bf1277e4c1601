"""engines/review/rules."""
