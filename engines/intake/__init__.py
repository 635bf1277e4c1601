"""engines/intake."""
