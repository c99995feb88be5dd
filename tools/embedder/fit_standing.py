#!/usr/bin/env python3
"""Fits what tells a standing instruction ("always ...", "never ...") from anything else in one
sentence, as a line in the space of the table that annals carries.

    fit_standing.py A.npz STUDENT.json TEXTS OUT.txt

A.npz and STUDENT.json are the table and its pieces (train.py), TEXTS the folder of texts.py. OUT.txt
is crates/recall/data/standing.txt: the constant and 256 weights.

Sentences are made of standing.json beside this script: what may be told (`contents`) in frames that
hold from now on (`standing`) or once (`once`). Beside them stand the examples of crates/recall/data
and sentences of everyday texts. Logistic regression, both kinds weighing alike, with a ridge.

It prints what share of the lines of instructions.txt is found by a fit without them, and what share
of the other examples is taken for one.
"""
import argparse
import json
import lzma
import os
import random

import numpy as np

from reference import Model
from unigram import Unigram, normalize_text

HERE = os.path.dirname(os.path.abspath(__file__))
EXAMPLES = os.path.join(HERE, "../../crates/recall/data")
CONTENTS_PER_FRAME = 14
EVERYDAY = 2500
EVERYDAY_STEP = 400
LONGEST_EVERYDAY = 160
RIDGE = 1.0
STEPS = 25
# How often an example of a kind is counted.
OTHER_KINDS = {"statements": 6, "requests": 4, "chatter": 3, "world": 4}
INSTRUCTIONS = 6


def read_examples(kind):
    with open(os.path.join(EXAMPLES, f"{kind}.txt"), encoding="utf-8") as file:
        return file.read().splitlines()


def read_everyday(folder):
    texts = []
    with lzma.open(os.path.join(folder, "mono.tsv.xz"), "rt", encoding="utf-8") as file:
        for number, line in enumerate(file):
            text = line.rstrip("\n").split("\t")[-1]
            if number % EVERYDAY_STEP == 0 and len(text) < LONGEST_EVERYDAY:
                texts.append(text)
            if len(texts) == EVERYDAY:
                break
    return texts


def make_sentences():
    chance = random.Random(1)
    with open(os.path.join(HERE, "standing.json"), encoding="utf-8") as file:
        languages = json.load(file)
    standing, once = [], []
    for kind, found in (("standing", standing), ("once", once)):
        for language in languages.values():
            for frame in language[kind]:
                contents = chance.sample(language["contents"], CONTENTS_PER_FRAME)
                found.extend(frame.format(content) for content in contents)
    return standing, once


def fit(standing, other):
    vectors = np.vstack([standing, other])
    vectors = np.hstack([vectors, np.ones((len(vectors), 1))])
    is_standing = np.r_[np.ones(len(standing)), np.zeros(len(other))]
    counts = np.where(is_standing > 0, len(other) / len(standing), 1.0)
    weights = np.zeros(vectors.shape[1])
    for _ in range(STEPS):
        chance = 1 / (1 + np.exp(-vectors @ weights))
        slope = vectors.T @ (counts * (chance - is_standing)) + RIDGE * weights
        bend = (vectors * (counts * chance * (1 - chance))[:, None]).T @ vectors
        weights -= np.linalg.solve(bend + RIDGE * np.eye(len(weights)), slope)
    return weights


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    for name in ("model", "student", "texts", "out"):
        parser.add_argument(name)
    args = parser.parse_args()
    with open(args.student, encoding="utf-8") as file:
        student = json.load(file)
    tokenizer = Unigram(student["pieces"], student["scores"])
    model = Model(args.model)

    def embed(texts):
        return np.array([model.embed_ids(tokenizer.encode(normalize_text(text))) for text in texts])

    standing, once = make_sentences()
    other = embed(once + read_everyday(args.texts))
    for kind, times in OTHER_KINDS.items():
        other = np.vstack([other] + [embed(read_examples(kind))] * times)
    standing, examples = embed(standing), embed(read_examples("instructions"))

    def share(weights, vectors):
        return float(np.mean(vectors @ weights[:-1] + weights[-1] > 0))

    without = fit(standing, other)
    print(f"instructions, not fitted on: {share(without, examples):.2f}")
    weights = fit(np.vstack([standing] + [examples] * INSTRUCTIONS), other)
    for kind in OTHER_KINDS:
        print(f"{kind}: {share(weights, embed(read_examples(kind))):.2f}")
    with open(args.out, "w", encoding="utf-8") as file:
        file.write(f"{weights[-1]:.5f}\n")
        for start in range(0, len(weights) - 1, 8):
            row = weights[start:start + 8]
            file.write(" ".join(f"{weight:.5f}" for weight in row) + "\n")


if __name__ == "__main__":
    main()
