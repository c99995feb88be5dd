"""The two students: their shape, where they start, how they are rounded and saved."""
import json

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

from network import Layer, keep_weights, sum_by_text
from unigram import normalize_piece

DIMS = 256
PLACES = 128
GROUP = 32
GATE_LIMIT = 8
PULL = 1e-5  # of a table's rows back to where they started
FREQUENCY = 1e-3  # smooth inverse frequency of the table's start
STRETCH = 0.2  # rows are longer by (length / median length) to this power when saved


def scale_rows(weights):
    """One scale a row for int8."""
    return weights.detach().abs().amax(1, keepdim=True).clamp_min(1e-8) / 127


def scale_groups(weights):
    """One scale in half precision for each 32 numbers of 4 bits; [rows, groups]"""
    groups = weights.detach().view(len(weights), -1, GROUP)
    return (groups.abs().amax(2) / 7.5).clamp_min(1e-6).half()


def round_rows(weights):
    """Values of int8 by row; the gradient goes straight through."""
    scales = scale_rows(weights)
    rounded = (weights / scales).round().clamp(-127, 127) * scales
    return weights + (rounded - weights).detach()


def round_groups(weights):
    """Values of 4 bits in groups; the gradient goes straight through."""
    scales = scale_groups(weights).float().repeat_interleave(GROUP, dim=1)
    rounded = ((weights / scales - 0.5).round().clamp(-8, 7) + 0.5) * scales
    return weights + (rounded - weights).detach()


class Table(nn.Module):
    """One row a piece; a text is their sum at length 1."""

    def __init__(self, start):
        super().__init__()
        self.emb = nn.Parameter(start.clone())
        self.start = start

    def forward(self, batch, rounding):
        rows = round_rows(self.emb) if rounding else self.emb
        return F.normalize(sum_by_text(F.embedding(batch.ids, rows), batch), dim=1)

    def measure_pull(self):
        return PULL * ((self.emb - self.start) ** 2).sum()


class Transformer(nn.Module):
    """Words and places, layers, the mean weighed by exp(gate), a linear map to 256 numbers."""

    def __init__(self, words, layers=4, heads=8, inner=1024):
        super().__init__()
        size = words.shape[1]
        self.emb = nn.Parameter(words.clone())
        self.pos = nn.Parameter(torch.randn(PLACES, size, device=words.device) * 0.01)
        self.ln = nn.LayerNorm(size, eps=1e-12)
        self.layers = nn.ModuleList([Layer(size, heads, inner) for _ in range(layers)])
        self.gate, self.out = nn.Linear(size, 1), nn.Linear(size, DIMS, bias=False)
        nn.init.zeros_(self.gate.weight)
        self.conf = {"h": size, "layers": layers, "heads": heads, "ff": inner, "embbits": 4}

    def forward(self, batch, rounding):
        rounded = round_rows if rounding else keep_weights
        kind = batch.ids.device.type
        with torch.autocast(kind, torch.bfloat16, enabled=kind == "cuda"):
            words = round_groups(self.emb) if rounding else self.emb
            x = F.embedding(batch.ids, words) + F.embedding(batch.position, self.pos)
            x = self.ln(x)
            for layer in self.layers:
                x = layer(x, batch, rounded)
            gate = torch.exp(self.gate(x).float().clamp(-GATE_LIMIT, GATE_LIMIT))
            pooled = sum_by_text(x.float() * gate, batch) / sum_by_text(gate, batch)
            vectors = F.linear(pooled, rounded(self.out.weight))
        return F.normalize(vectors.float(), dim=1)

    def measure_pull(self):
        return 0.0


def start_table(piece_targets, tokens, first_piece):
    """The teacher's vector of each piece alone, shorter the more frequent the piece is."""
    flat = tokens.flat[:tokens.starts[first_piece]]
    share = np.bincount(flat, minlength=len(piece_targets)) / len(flat)
    weights = torch.from_numpy((FREQUENCY / (FREQUENCY + share)).astype(np.float32))
    return piece_targets.float() * weights[:, None].to(piece_targets.device)


def start_words(pieces, e5_words, vocabulary):
    """e5's rows of the pieces that became each piece of the student, weighed by probability, then
    256 principal axes at a standard deviation of .05."""
    groups = {}
    for i, piece in enumerate(vocabulary["pieces"]):
        groups.setdefault(normalize_piece(piece), []).append(i)
    words, scores = e5_words.cpu(), np.array(vocabulary["scores"])
    start, missing = words[[vocabulary["unk"]]].repeat(len(pieces), 1), 0
    for row, piece in enumerate(pieces):
        if row and piece in groups:
            ids = groups[piece]
            share = np.exp(scores[ids] - scores[ids].max()).astype(np.float32)
            start[row] = (words[ids] * torch.from_numpy(share / share.sum())[:, None]).sum(0)
        else:
            missing += 1
    print(f"pieces without a row of e5: {missing}", flush=True)
    start = start.to(e5_words.device)
    start = start - start.mean(0)
    _, axes = torch.linalg.eigh(start.T @ start)
    start = start @ axes[:, -DIMS:].flip(1)
    return start / start.std() * 0.05


def encode_rows(name, weights):
    """int8 codes and their scales."""
    weights = weights.detach().float()
    scales = scale_rows(weights)
    codes = (weights / scales).round().clamp(-127, 127).to(torch.int8)
    return {name + ".q": codes.cpu().numpy(), name + ".s": scales[:, 0].cpu().numpy()}


def encode_groups(name, weights):
    """4-bit codes, two a byte, the low half first, and their scales."""
    weights = weights.detach().float()
    scales = scale_groups(weights)
    codes = weights / scales.float().repeat_interleave(GROUP, dim=1) - 0.5
    codes = (codes.round().clamp(-8, 7) + 8).to(torch.uint8)
    packed = codes[:, 0::2] | codes[:, 1::2] << 4
    return {name + ".q": packed.cpu().numpy(), name + ".s": scales.cpu().numpy()}


def save_table(table, path):
    """Rounded rows, each stretched by (its length / the median length) ^ STRETCH."""
    arrays = encode_rows("emb", table.emb)
    rows = arrays["emb.q"].astype(np.float32) * arrays["emb.s"][:, None]
    lengths = np.linalg.norm(rows, axis=1)
    stretch = (lengths / np.median(lengths)) ** STRETCH
    arrays["emb.s"] = (arrays["emb.s"] * stretch).astype(np.float32)
    np.savez(path, **arrays)


def save_transformer(model, path):
    """Matrices by row, words in groups, places in half precision, the rest as it is."""
    arrays = encode_groups("emb", model.emb)
    arrays["conf"] = np.array(json.dumps(model.conf))
    arrays["pos"] = model.pos.detach().half().cpu().numpy()
    for name, values in model.named_parameters():
        if name in ("emb", "pos"):
            continue
        if values.ndim == 2 and name != "gate.weight":
            arrays |= encode_rows(name, values)
        else:
            arrays[name] = values.detach().float().cpu().numpy()
    np.savez(path, **arrays)
