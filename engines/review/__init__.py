"""engines/review."""
