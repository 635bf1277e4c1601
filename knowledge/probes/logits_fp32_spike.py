"""The loss over a large vocabulary: how many copies of the logits one step makes."""

import torch
from torch import nn
from torch.nn.functional import cross_entropy
from torch.utils._python_dispatch import TorchDispatchMode

TOKENS, VOCABULARY = 256, 128


class Copies(TorchDispatchMode):
    """Adds up the bytes of results as large as the logits, views left aside."""

    def __init__(self):
        """Start with nothing seen."""
        super().__init__()
        self.largest_bytes = 0
        self.bytes = {}

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        """Note new storages of the logits' size."""
        result = func(*args, **(kwargs or {}))
        if isinstance(result, torch.Tensor):
            size = result.untyped_storage().nbytes()
            self.largest_bytes = max(self.largest_bytes, size)
            if result.numel() == TOKENS * VOCABULARY:
                self.bytes[id(result.untyped_storage()), result.data_ptr()] = (result, size)
        return result


def _step(head, hidden, labels, chunks):
    loss = 0.0
    for states, targets in zip(hidden.chunk(chunks), labels.chunk(chunks), strict=True):
        part = cross_entropy(head(states).float(), targets, reduction="sum") / TOKENS
        part.backward()
        loss += float(part)
    return loss


def probe(rank, world_size):
    """Compute the loss at once and in eight chunks."""
    head = nn.Linear(16, VOCABULARY, bias=False, dtype=torch.bfloat16)
    hidden = torch.randn(TOKENS, 16).bfloat16()
    labels = torch.arange(TOKENS) % VOCABULARY
    with Copies() as whole:
        at_once = _step(head, hidden, labels, 1)
    with Copies() as chunked:
        in_chunks = _step(head, hidden, labels, 8)
    assert abs(at_once - in_chunks) < 1e-3, (at_once, in_chunks)
    bytes_per_logit = sum(size for _, size in whole.bytes.values()) / (TOKENS * VOCABULARY)
    assert bytes_per_logit >= 12, bytes_per_logit
    assert whole.largest_bytes == 4 * TOKENS * VOCABULARY, whole.largest_bytes
    assert chunked.largest_bytes == 4 * TOKENS * VOCABULARY // 8, chunked.largest_bytes
    return {"bytes made per logit": bytes_per_logit, "largest tensor in chunks": "1/8"}
