"""engines/diagnosis/causes."""
