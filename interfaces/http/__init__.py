"""The HTTP door: `/fsdp/v1` on Starlette, alone (`plain.py`) or inside the LangGraph server (`inside.py`)."""
