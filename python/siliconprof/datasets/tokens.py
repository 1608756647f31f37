"""Batches of token sequences: for models that predict the next token, or the masked ones."""

from __future__ import annotations

import numpy

from .base import Batch, Order, digest, not_enough

MASKED_SHARE = 0.15


class NextTokens:
    """Windows of `seq` tokens and, as targets, the same moved by one.

    `tokens`: (n) int32. The windows don't overlap; each epoch takes all of them in a new order.
    """

    def __init__(
        self, tokens: numpy.ndarray, batch: int, seq: int, source: str, seed: int = 0
    ) -> None:
        windows = (len(tokens) - 1) // seq
        if windows < 1:
            raise not_enough("data", f"tokens in {source}", len(tokens), f"at least {seq + 1}")
        self._tokens, self._batch, self._seq = tokens, batch, seq
        self._order = Order(windows, seed)
        self.description = f"{len(tokens)} tokens of {source}, {digest(tokens)}, seed {seed}"

    def batch(self, index: int) -> Batch:
        """tokens and targets, (batch, seq) int32 each."""
        rows = self.windows(index)
        return {"tokens": rows[:, :-1], "targets": rows[:, 1:]}

    def windows(self, index: int) -> numpy.ndarray:
        """(batch, seq + 1)."""
        begins = [item * self._seq for item in self._order.items(index, self._batch)]
        return numpy.stack([self._tokens[begin : begin + self._seq + 1] for begin in begins])


class MaskedTokens:
    """BERT's task: 15 % of the tokens are to be told from the others; 80 % of those are replaced
    by `mask`, 10 % by any token below `vocab`, 10 % left.

    The loss is over all places, for the step's cross entropy leaves none out: at those that
    aren't masked the target stands in the input.
    Source: Devlin et al., BERT.
    """

    def __init__(self, plain: NextTokens, vocab: int, mask: int, seed: int = 0) -> None:
        self._plain, self._vocab, self._mask, self._seed = plain, vocab, mask, seed
        self.description = f"{plain.description}, masked"

    def batch(self, index: int) -> Batch:
        """tokens, segments (all 0) and targets, (batch, seq) int32 each."""
        targets = self._plain.windows(index)[:, :-1]
        random = numpy.random.default_rng([self._seed, index])
        kind = random.random(targets.shape) / MASKED_SHARE
        other = random.integers(0, self._vocab, targets.shape, dtype=numpy.int32)
        tokens = numpy.where(kind < 0.8, numpy.int32(self._mask), targets)
        tokens = numpy.where((kind >= 0.8) & (kind < 0.9), other, tokens)
        return {"tokens": tokens, "segments": numpy.zeros_like(targets), "targets": targets}
