#!/usr/bin/env python3
"""Recall by cosine alone of one or more students, with numpy.

    evaluate.py STUDENT.json MODEL.npz ... [--sets FILE_OR_FOLDER ...] [--held-out TEXTS.tsv]

A set is a JSON file of one of two forms, told apart by what it holds:
  "conversations": [{"turns": [{"id", "text", "speaker"}], "questions": [{"q", "evidence": [id],
      "category"}]}]: the share of a question's evidence among the 5 and the 10 best turns of its
      conversation. The names of those who talk are taken out of the question first. Questions
      without evidence are left out; --categories adds a line for each category at 5.
  "items": [{"en", "q_en", "zh", "q_zh"}]: facts with their questions in both languages; the share
      of questions whose own fact comes first among all facts of a language.
--held-out is a file of the project's own texts (columns: fact, question, later fact, in English,
then in Chinese) that training has not seen: each question against 40 facts, its own among them.
"""
import argparse
import json
import pathlib
import re
import time

import numpy as np

from reference import Model
from unigram import Unigram

LONGEST = 512  # pieces of a text that are read
BLOCK = 40  # held-out facts that stand for choice
PROGRAM_NAMES = ("user", "assistant")
DIRECTIONS = (("en", "en", "q_en"), ("zh", "zh", "q_zh"),
              ("zh facts, en question", "zh", "q_en"), ("en facts, zh question", "en", "q_zh"))


class Embedder:
    """Vectors of texts, each text once."""

    def __init__(self, model, tokenizer):
        self.model, self.tokenizer = model, tokenizer
        self.known = {}

    def embed_texts(self, texts):
        for text in texts:
            if text not in self.known:
                ids = self.tokenizer.encode(text)[:LONGEST]
                self.known[text] = self.model.embed_ids(ids)
        return np.array([self.known[text] for text in texts], np.float32)


def strip_names(question, names):
    """The question without the names of those who talk: everything there is said by them."""
    for name in names:
        for part in {name, name.split(" ")[0]}:
            if part:
                pattern = re.escape(part)
                if part.isascii():
                    pattern = r"\b" + pattern + r"(?:['’]s)?\b"
                question = re.sub(pattern, "", question)
    return re.sub(r"\s+", " ", question).strip() or "?"


def list_speakers(turns):
    """Names of people, the longest first."""
    names = {turn.get("speaker") for turn in turns} - {None, "", *PROGRAM_NAMES}
    return sorted(sorted(names), key=len, reverse=True)


def measure_conversations(embedder, conversations):
    """-> [(category, recall at 5, recall at 10)], one for each question with evidence."""
    rows = []
    for conversation in conversations:
        turns = conversation["turns"]
        place = {turn["id"]: i for i, turn in enumerate(turns)}
        names = list_speakers(turns)
        vectors = embedder.embed_texts([turn["text"] for turn in turns])
        for question in conversation["questions"]:
            evidence = [place[e] for e in question["evidence"] if e in place]
            if not evidence:
                continue
            asked = embedder.embed_texts([strip_names(question["q"], names)])[0]
            best = np.argsort(-(vectors @ asked), kind="stable").tolist()
            found = [sum(e in best[:k] for e in evidence) / len(evidence) for k in (5, 10)]
            rows.append((question.get("category", ""), *found))
    return rows


def report_conversations(name, rows, categories):
    """Prints recall of a set and, where asked for, of each category."""
    at_5, at_10 = np.mean([row[1:] for row in rows], axis=0)
    print(f"  {name}: {len(rows)} questions, recall@5 {at_5:.3f}, recall@10 {at_10:.3f}",
          flush=True)
    for category in sorted({row[0] for row in rows} if categories else ()):
        found = [row[1] for row in rows if row[0] == category]
        print(f"    {category}: {len(found)} questions, recall@5 {np.mean(found):.3f}")


def measure_first(questions, facts):
    """Share of questions whose own fact (the one of the same row) is the most similar."""
    cosines = questions @ facts.T
    return float(((cosines > cosines.diagonal()[:, None]).sum(1) == 0).mean())


def report_items(name, embedder, items, block):
    """Prints how often the own fact comes first, within one language and across both."""
    items = items[:max(1, len(items) // block) * block]
    figures = []
    for label, fact, question in DIRECTIONS:
        facts = embedder.embed_texts([item[fact] for item in items])
        questions = embedder.embed_texts([item[question] for item in items])
        blocks = [slice(i, i + block) for i in range(0, len(items), block)]
        share = np.mean([measure_first(questions[b], facts[b]) for b in blocks])
        figures.append(f"{label} {share:.3f}")
    print(f"  {name}: {len(items)} facts, own fact first: " + "; ".join(figures), flush=True)


def read_held_out(path):
    """Facts and questions of a file of the project's own texts."""
    rows = [line.split("\t") for line in path.read_text(encoding="utf-8").splitlines()]
    return [{"en": row[0], "q_en": row[1], "zh": row[3], "q_zh": row[4]}
            for row in rows if len(row) == 6]


def read_sets(paths):
    """-> [(name, content)] of the JSON files named, or that stand in the folders named."""
    files = [f for p in paths for f in (sorted(p.glob("*.json")) if p.is_dir() else [p])]
    return [(f.stem, json.loads(f.read_text(encoding="utf-8"))) for f in files]


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("student", help="pieces and scores, student.json")
    parser.add_argument("models", nargs="+", type=pathlib.Path, metavar="MODEL.npz")
    parser.add_argument("--sets", nargs="+", type=pathlib.Path, default=[])
    parser.add_argument("--held-out", type=pathlib.Path)
    parser.add_argument("--categories", action="store_true")
    options = parser.parse_args()
    tokenizer = Unigram.load(options.student)
    sets = read_sets(options.sets)
    for path in options.models:
        print(path.name, flush=True)
        embedder, begun = Embedder(Model(path), tokenizer), time.time()
        if options.held_out:
            report_items(options.held_out.stem, embedder, read_held_out(options.held_out), BLOCK)
        for name, content in sets:
            if "items" in content:
                report_items(name, embedder, content["items"], len(content["items"]))
            elif "conversations" in content:
                rows = measure_conversations(embedder, content["conversations"])
                report_conversations(name, rows, options.categories)
        print(f"  {len(embedder.known)} texts, {time.time() - begun:.0f} s", flush=True)


if __name__ == "__main__":
    main()
