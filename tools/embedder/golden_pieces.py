#!/usr/bin/env python3
"""Writes what the tests of the Rust tokenizer compare with: pieces and vectors of the reference.

    golden_pieces.py STUDENT.json A.npz TEXTS.json OUT_FOLDER

TEXTS.json is a list of objects with a `text`. OUT_FOLDER/texts.tsv gets for each its text, its
pieces and the first eight numbers of its vector; OUT_FOLDER/random.txt a hash of the pieces of each
hundred of 10,000 random texts, which the tests draw again with the same generator.
"""

import argparse
import json
import pathlib

import numpy as np

import unigram

MASK = (1 << 64) - 1
TEXTS = 10_000
TEXTS_A_LINE = 100

# First and last code points of what random texts are made of; the tests have the same list.
RANGES = [
    (0x20, 0x7E), (0x09, 0x0D), (0xA0, 0x24F), (0x300, 0x36F), (0x370, 0x3FF), (0x400, 0x4FF),
    (0x5D0, 0x5EA), (0x620, 0x64A), (0x904, 0x939), (0xE01, 0xE30), (0x1E00, 0x1EFF),
    (0x1F00, 0x1FFF), (0x2000, 0x206F), (0x2070, 0x209F), (0x20A0, 0x20BF), (0x2100, 0x218B),
    (0x2190, 0x21FF), (0x2460, 0x24FF), (0x2500, 0x26FF), (0x3000, 0x303F), (0x3041, 0x30FF),
    (0x3200, 0x33FF), (0x4E00, 0x9FA5), (0xAC00, 0xD7A3), (0xF900, 0xFA6D), (0xFB00, 0xFB06),
    (0xFF01, 0xFFEE), (0x1D400, 0x1D7FF), (0x1F300, 0x1F6FF), (0x20000, 0x2A6D6),
]


class Random:
    """SplitMix64 (Steele, Lea, Flood 2014)."""

    def __init__(self, seed):
        self.state = seed

    def draw(self, below):
        self.state = (self.state + 0x9E3779B97F4A7C15) & MASK
        z = self.state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
        return (z ^ (z >> 31)) % below


def draw_text(random):
    """Stretches of one range each, and of lower-case letters and frequent ideographs."""
    text = []
    for _ in range(1 + random.draw(6)):
        kind = random.draw(3)
        first, last = RANGES[random.draw(len(RANGES))]
        if kind == 1:
            first, last = 0x61, 0x7A
        if kind == 2:
            first, last = 0x4E00, 0x5DE5
        text += [chr(first + random.draw(last - first + 1)) for _ in range(1 + random.draw(8))]
        if random.draw(2):
            text.append(" ")
    return "".join(text)


def hash_pieces(state, pieces):
    """FNV-1a over the pieces of a text and its end."""
    for piece in [*pieces, 0xFFFF]:
        state = ((state ^ piece) * 0x100000001B3) & MASK
    return state


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    for name in ("student", "rows", "texts", "out"):
        parser.add_argument(name, type=pathlib.Path)
    args = parser.parse_args()

    student = json.loads(args.student.read_text(encoding="utf8"))
    tokenizer = unigram.Unigram(student["pieces"], student["scores"])
    split = lambda text: tokenizer.encode(unigram.normal(text))
    rows = np.load(args.rows)
    table = rows["emb.q"].astype(np.float32) * rows["emb.s"][:, None]
    args.out.mkdir(parents=True, exist_ok=True)

    lines = []
    for entry in json.loads(args.texts.read_text(encoding="utf8")):
        pieces = split(entry["text"])
        vector = table[pieces].sum(0)
        numbers = (vector / np.linalg.norm(vector))[:8]
        shown = [" ".join(map(str, pieces)), " ".join(f"{x:.6f}" for x in numbers)]
        lines.append("\t".join([entry["text"], *shown]))
    (args.out / "texts.tsv").write_text("\n".join(lines) + "\n", encoding="utf8")

    random, hashes = Random(1), []
    for _ in range(TEXTS // TEXTS_A_LINE):
        state = 0xCBF29CE484222325
        for _ in range(TEXTS_A_LINE):
            state = hash_pieces(state, split(draw_text(random)))
        hashes.append(f"{state:016x}")
    (args.out / "random.txt").write_text("\n".join(hashes) + "\n")


if __name__ == "__main__":
    main()
