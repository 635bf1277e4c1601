"""Machine: the whole interpreter, put together from its mix-ins."""

from engines.review.flow.statements import Statements


class Machine(Statements):
    """Executes Python with abstract values and keeps the trace."""
