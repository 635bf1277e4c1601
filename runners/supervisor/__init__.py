"""runners/supervisor."""
