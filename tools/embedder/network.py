"""A transformer layer over packed tokens, for the teachers and the small student."""
import dataclasses

import torch
import torch.nn.functional as F
from torch import nn


@dataclasses.dataclass
class Batch:
    """tokens.Packed on the device; mask: [texts, 1, 1, longest]."""
    ids: torch.Tensor
    owner: torch.Tensor
    position: torch.Tensor
    place: torch.Tensor
    mask: torch.Tensor
    lengths: torch.Tensor


def move_batch(packed, device):
    """-> Batch"""

    def move(array):
        tensor = torch.from_numpy(array)
        return tensor.pin_memory().to(device, non_blocking=True) if device == "cuda" else tensor

    lengths = move(packed.lengths)
    mask = torch.arange(packed.longest, device=device)[None] < lengths[:, None]
    return Batch(move(packed.ids), move(packed.owner), move(packed.position), move(packed.place),
                 mask[:, None, None], lengths)


def sum_by_text(x, batch):
    """Sums of the tokens of each text."""
    return x.new_zeros(len(batch.lengths), x.shape[1]).index_add(0, batch.owner, x)


def keep_weights(weights):
    return weights


class Layer(nn.Module):
    """Attention and two dense layers with GELU, a norm after each."""

    def __init__(self, size, heads, inner, eps=1e-12):
        super().__init__()
        self.size, self.heads = size, heads
        self.qkv, self.o = nn.Linear(size, 3 * size), nn.Linear(size, size)
        self.up, self.down = nn.Linear(size, inner), nn.Linear(inner, size)
        self.ln1, self.ln2 = nn.LayerNorm(size, eps=eps), nn.LayerNorm(size, eps=eps)

    def attend(self, projected, batch):
        """Attention within each text: tokens are padded for it and packed again."""
        texts, longest = batch.mask.shape[0], batch.mask.shape[-1]
        padded = projected.new_zeros(texts * longest, 3 * self.size)
        padded = padded.index_copy(0, batch.place, projected)
        padded = padded.view(texts, longest, 3, self.heads, self.size // self.heads)
        query, key, value = padded.permute(2, 0, 3, 1, 4)
        mixed = F.scaled_dot_product_attention(query, key, value, attn_mask=batch.mask)
        return mixed.transpose(1, 2).reshape(texts * longest, self.size)[batch.place]

    def forward(self, x, batch, rounded=keep_weights):
        """x: [tokens, size]; rounded: what is done to each matrix first."""

        def apply(linear, values):
            return F.linear(values, rounded(linear.weight), linear.bias)

        x = self.ln1(x + apply(self.o, self.attend(apply(self.qkv, x), batch)))
        return self.ln2(x + apply(self.down, F.gelu(apply(self.up, x))))
