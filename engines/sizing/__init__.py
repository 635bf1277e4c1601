"""engines/sizing."""
