"""Which micro-batches a rank gets, for training and for evaluation."""

from collections.abc import Iterator
from typing import Any

from fsdp_sft_config import Config
from fsdp_sft_data import Batch, Encoder, Examples
from fsdp_sft_order import example_at, step_positions
from fsdp_sft_world import World


class Feed:
    """The data of one job as one rank sees it."""

    def __init__(self, config: Config, tokenizer: Any, vocab_size: int, world: World) -> None:
        """Read and check the data files.

        Args:
            config: Names the files, sequence length, micro-batch and seed.
            tokenizer: The model's tokenizer.
            vocab_size: Rows of the model's embedding.
            world: This process among the others.

        Raises:
            ConfigError: A file has a line that is no example.
        """
        self._recipe, self._world = config.recipe, world
        self._encoder = Encoder(tokenizer, config.recipe.seq_len, vocab_size)
        self.train = Examples(config.train_data)
        self.eval = Examples(config.eval_data) if config.eval_data else None

    def step_batches(self, examples: int, grad_accum: int) -> list[Batch]:
        """Return this rank's micro-batches of one optimizer step.

        The order goes on into the next epoch without a gap, so that every micro-batch
        is full and no rank ever has fewer than another.

        Args:
            examples: Examples consumed before this step, over all ranks.
            grad_accum: Micro-steps in the step.
        """
        batches = []
        for micro_step in range(grad_accum):
            places = self._places(examples, micro_step)
            chosen = [example_at(place, len(self.train), self._recipe.seed) for place in places]
            batches.append(self._encoder.batch([self.train[index] for index in chosen]))
        return batches

    def eval_batches(self) -> Iterator[Batch]:
        """Yield as many micro-batches on every rank; past the end of the data they are empty."""
        if self.eval is None:
            return
        each_turn = self._world.size * self._recipe.micro_batch
        turns = min(self._recipe.eval_batches, -(-len(self.eval) // each_turn))
        for turn in range(turns):
            places = [place for place in self._places(0, turn) if place < len(self.eval)]
            yield self._encoder.batch([self.eval[place] for place in places])

    def _places(self, start: int, turn: int) -> range:
        return step_positions(start, turn, self._world.rank, self._world.size, self._recipe.micro_batch)
