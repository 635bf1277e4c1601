"""engines/answers."""
