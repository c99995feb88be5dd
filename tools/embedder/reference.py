#!/usr/bin/env python3
"""The two students in numpy alone: what any other implementation has to agree with.

    reference.py MODEL.npz STUDENT.json TEXT ...              first numbers of each text's vector
    reference.py MODEL.npz STUDENT.json --write-golden FILE   vectors of five texts, as JSON
    reference.py MODEL.npz STUDENT.json --check-golden FILE   ids and vectors against such a file

MODEL.npz is A.npz (a table: one row a piece) or B3.npz (a small transformer). A matrix of 8 bits
is `NAME.q`, int8 [rows, columns], and `NAME.s`, float32 [rows]: value = q * s of the row. A table
of 4 bits is `emb.q`, uint8 [rows, columns / 2], low half first, and `emb.s`, float16 [rows,
columns / 32]: value = (code - 7.5) * s of its group of 32. Everything else is floats. `conf` (JSON;
a table has none) says h, layers, heads, ff and embbits.

Table: the sum of the rows, at length 1. Transformer: words + places, then layers of attention and
two dense layers with GELU, each followed by a norm; the mean of the tokens weighed by exp(gate), a
linear map to 256 numbers, length 1.
"""
import argparse
import json
import sys

import numpy as np

from unigram import Unigram, normalize_text

WINDOW = 128  # a transformer reads longer texts in pieces of so many tokens
GROUP = 32
NORM_EPS = 1e-12
GATE_LIMIT = 8
GOLDEN_TEXTS = [
    "My cat Miso is afraid of thunderstorms.",
    "What pet do I have?",
    "我下周三要去杭州出差。",
    "Docker 构建需要用代理 proxy-env，记得先 export。",
    "Zoë's café opens at 7:30 — closed on Sundays!",
]


def compute_erf(x):
    """Abramowitz and Stegun 7.1.26: error below 1.5e-7."""
    t = 1 / (1 + 0.3275911 * np.abs(x))
    poly = ((1.061405429 * t - 1.453152027) * t + 1.421413741) * t - 0.284496736
    return np.sign(x) * (1 - (poly * t + 0.254829592) * t * np.exp(-x * x))


def apply_gelu(x):
    return 0.5 * x * (1 + compute_erf(x / np.sqrt(2)))


def apply_norm(x, weight, bias):
    mean = x.mean(-1, keepdims=True)
    variance = ((x - mean) ** 2).mean(-1, keepdims=True)
    return (x - mean) / np.sqrt(variance + NORM_EPS) * weight + bias


def apply_softmax(x):
    x = np.exp(x - x.max(-1, keepdims=True))
    return x / x.sum(-1, keepdims=True)


def scale_to_unit(vector):
    return vector / max(float(np.linalg.norm(vector)), 1e-9)


def unpack_rows(codes, scales):
    """Floats of a matrix of 8 bits by row or 4 bits in groups."""
    if codes.dtype != np.uint8:
        return codes.astype(np.float32) * scales[:, None]
    values = np.empty((len(codes), codes.shape[1] * 2), np.float32)
    values[:, 0::2], values[:, 1::2] = codes & 15, codes >> 4
    return (values - 7.5) * np.repeat(scales.astype(np.float32), GROUP, axis=1)


class Model:
    """Weights of a student and its forward pass."""

    def __init__(self, path):
        file = np.load(path)
        self.conf = json.loads(str(file["conf"])) if "conf" in file else None
        self.weights = {}
        for name in file.files:
            if name.endswith(".q"):
                base = name.removesuffix(".q")
                self.weights[base] = unpack_rows(file[name], file[base + ".s"])
            elif not name.endswith(".s") and name != "conf":
                self.weights[name] = file[name].astype(np.float32)

    def apply_linear(self, name, x):
        return x @ self.weights[name + ".weight"].T + self.weights[name + ".bias"]

    def apply_layer(self, name, x):
        """One layer on the tokens [n, h]."""
        count, heads = len(x), self.conf["heads"]
        size = self.conf["h"] // heads
        parts = np.split(self.apply_linear(name + "qkv", x), 3, axis=1)
        query, key, value = (p.reshape(count, heads, size).transpose(1, 0, 2) for p in parts)
        share = apply_softmax(query @ key.transpose(0, 2, 1) / np.sqrt(size))
        mixed = (share @ value).transpose(1, 0, 2).reshape(count, heads * size)
        x = self.apply_named_norm(name + "ln1", x + self.apply_linear(name + "o", mixed))
        inner = apply_gelu(self.apply_linear(name + "up", x))
        return self.apply_named_norm(name + "ln2", x + self.apply_linear(name + "down", inner))

    def apply_named_norm(self, name, x):
        return apply_norm(x, self.weights[name + ".weight"], self.weights[name + ".bias"])

    def embed_window(self, ids):
        """The transformer's vector of at most WINDOW pieces."""
        x = self.weights["emb"][ids] + self.weights["pos"][:len(ids)]
        x = self.apply_named_norm("ln", x)
        for i in range(self.conf["layers"]):
            x = self.apply_layer(f"layers.{i}.", x)
        gate = x @ self.weights["gate.weight"][0] + self.weights["gate.bias"][0]
        gate = np.exp(np.clip(gate, -GATE_LIMIT, GATE_LIMIT))[:, None]
        return scale_to_unit(self.weights["out.weight"] @ ((x * gate).sum(0) / gate.sum()))

    def embed_ids(self, ids):
        """The vector of a text's pieces; none at all count as one <unk>."""
        ids = np.array(ids or [0])
        if self.conf is None:
            return scale_to_unit(self.weights["emb"][ids].sum(0))
        windows = [ids[i:i + WINDOW] for i in range(0, len(ids), WINDOW)]
        return scale_to_unit(sum(self.embed_window(w) * len(w) for w in windows))


def make_golden(model, tokenizer):
    """Texts, normal forms, ids and vectors of GOLDEN_TEXTS."""
    rows = []
    for text in GOLDEN_TEXTS:
        ids = tokenizer.encode(text)
        vector = [round(float(x), 6) for x in model.embed_ids(ids)]
        rows.append({"text": text, "normal": normalize_text(text), "ids": ids, "vector": vector})
    return rows


def check_golden(model, tokenizer, rows):
    """Prints each text's cosine to what is expected; -> whether all agree."""
    good = True
    for row in rows:
        ids = tokenizer.encode(row["text"])
        cosine = float(model.embed_ids(ids) @ scale_to_unit(np.array(row["vector"])))
        same = ids == row["ids"] and normalize_text(row["text"]) == row["normal"]
        good &= same and cosine > 0.99999
        print("ids and normal form agree" if same else "other ids", f"cosine {cosine:.7f}",
              row["text"])
    return good


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", help="A.npz or B3.npz")
    parser.add_argument("student", help="pieces and scores, student.json")
    parser.add_argument("text", nargs="*")
    parser.add_argument("--write-golden", metavar="FILE")
    parser.add_argument("--check-golden", metavar="FILE")
    options = parser.parse_args()
    model, tokenizer = Model(options.model), Unigram.load(options.student)
    for text in options.text:
        ids = tokenizer.encode(text)
        print(text, ids, model.embed_ids(ids)[:6].round(4).tolist())
    if options.write_golden:
        with open(options.write_golden, "w", encoding="utf-8") as file:
            json.dump(make_golden(model, tokenizer), file, ensure_ascii=False, indent=0)
    if options.check_golden:
        with open(options.check_golden, encoding="utf-8") as file:
            if not check_golden(model, tokenizer, json.load(file)):
                sys.exit("the vectors differ")


if __name__ == "__main__":
    main()
