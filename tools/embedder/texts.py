#!/usr/bin/env python3
"""Collect the training texts from checkouts of their sources.

    texts.py OWN OUT [--checkouts FOLDER] [--wordnet FOLDER] [--sample 45000]

OWN: the project's own texts, tools/texts; the last of its files is left out, it is for measuring.
FOLDER of --checkouts: OWNER/NAME is a checkout of that repository, see README.md; what is missing
is said and passed over. --wordnet: where data.noun and the others lie (/usr/share/wordnet with
Debian's wordnet-base). jieba's words come from the installed package. Writes four files:

OUT/mono.tsv.xz    language, kind (q question or request, p statement), text
OUT/pairs.tsv.xz   source, English, Chinese: translations
OUT/asked.tsv.xz   source, fact, question that it answers
OUT/seg_zh.txt.xz  kind, Chinese text cut into words with their classes; a sample
"""
import argparse
import collections
import html
import pathlib
import random
import re

import folders
from sources import SOURCES, read_wordnet

LONGEST, LONGEST_ZH = 1200, 600
LETTERS = re.compile("[A-Za-z一-鿿]")
SENTENCE = re.compile(r"(?<=[.!?。！？])\s*")
# Of these texts are cut into words; of the first three all, of the others a sample.
CUT_ALL = ("texts", "tatoeba", "xpersona")
CUT_SOME = ("tencent", "crosswoz", "kdconv", "lccc-toy")


class Collector:
    """Texts, translations, and facts with their questions; a text counts once, in any case."""

    def __init__(self, seed=1):
        self.rng = random.Random(seed)
        self.mono, self.pairs, self.asked = [], [], []
        self.seen = set()

    @staticmethod
    def clean_text(text):
        return re.sub(r"\s+", " ", html.unescape(text)).strip()

    def add_text(self, source, text, kind=None):
        text = self.clean_text(text)[:LONGEST]
        if len(text) < 2 or text.lower() in self.seen or not LETTERS.search(text):
            return
        self.seen.add(text.lower())
        kind = kind or ("q" if re.search(r"[?？]\s*$", text) else "p")
        self.mono.append((source, folders.tell_language(text), kind, text))

    def add_pair(self, source, english, chinese):
        english, chinese = self.clean_text(english), self.clean_text(chinese)
        if not (0 < len(english) < LONGEST and 0 < len(chinese) < LONGEST_ZH):
            return
        if folders.HAN.search(chinese) and folders.LETTER.search(english):
            self.pairs.append((source, english, chinese))
            self.add_text(source, english)
            self.add_text(source, chinese)

    def add_dialogue(self, source, turns):
        """Each turn alone, now and then two or more together, or a sentence of it."""
        for i, turn in enumerate(turns):
            self.add_text(source, turn)
            draw = self.rng.random()
            if draw < 0.12 and i + 1 < len(turns):
                self.add_text(source, " ".join(turns[i:i + 2]), "p")
            elif draw < 0.17 and i + 2 < len(turns):
                self.add_text(source, " ".join(turns[i:i + self.rng.randint(3, 8)]), "p")
            elif draw < 0.3:
                parts = SENTENCE.split(turn)
                if len(parts) > 2:
                    self.add_text(source, self.rng.choice(parts))


def read_own_rows(folder):
    """(fact, question, later fact) in English, then in Chinese; all files but the last."""
    for path in sorted(folder.glob("*.tsv"))[:-1]:
        for line in path.read_text(encoding="utf-8").splitlines():
            row = line.split("\t")
            if len(row) == 6:
                yield row


def add_own_texts(folder, collector):
    """The project's own texts: both facts with the question, in each language and across."""
    rows = list(read_own_rows(folder))
    for row in rows:
        for i in (0, 3):
            fact, question, later = row[i:i + 3]
            collector.asked += [("texts", fact, question), ("texts", later, question)]
        for i, text in enumerate(row):
            collector.add_text("texts", text, "q" if i % 3 == 1 else "p")
        collector.pairs += [("texts", row[i], row[i + 3]) for i in range(3)]
    return [("cross", row[fact], row[question]) for row in rows
            for fact, question in ((0, 4), (2, 4), (3, 1), (5, 1))]


def collect_texts(own, checkouts, wordnet):
    """Everything that is there. -> Collector"""
    collector = Collector()
    across = add_own_texts(own, collector)
    for names, read in SOURCES:
        missing = [name for name in names if not checkouts or not (checkouts / name).is_dir()]
        if missing:
            print("not there:", ", ".join(missing))
        else:
            read(checkouts, collector)
    for word, count, _ in folders.find_jieba_words():
        if count >= 30 and len(word) > 1:
            collector.add_text("jieba", word, "p")
    if wordnet:
        read_wordnet(wordnet, collector)
    collector.asked = list(dict.fromkeys(collector.asked)) + across
    collector.pairs = list(dict.fromkeys(collector.pairs))
    return collector


def cut_chinese(mono, sample):
    """Chinese texts of 6 to 60 characters as words with jieba's classes. -> [(kind, words)]"""
    import jieba
    import jieba.posseg
    jieba.setLogLevel(40)
    rows = [row for row in mono if row[1] == "zh" and 6 <= len(row[3]) <= 60
            and re.search("[一-鿿]{3}", row[3])]
    others = [row for row in rows if row[0] in CUT_SOME]
    chosen = [row for row in rows if row[0] in CUT_ALL]
    chosen += random.Random(2).sample(others, min(sample, len(others)))
    return [(kind, "\x01".join(f"{word.word}\x02{word.flag}"
                               for word in jieba.posseg.cut(text, HMM=False)))
            for _, _, kind, text in chosen]


def print_counts(name, rows):
    """How many rows there are, and of which sources."""
    counts = collections.Counter(row[0] for row in rows)
    print(name, len(rows), "".join(f"\n  {source} {n}" for source, n in sorted(counts.items())))


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("own", type=pathlib.Path, help="tools/texts")
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--checkouts", type=pathlib.Path, metavar="FOLDER")
    parser.add_argument("--wordnet", type=pathlib.Path, metavar="FOLDER")
    parser.add_argument("--sample", type=int, default=45000, help="texts cut into words")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    collector = collect_texts(options.own, options.checkouts, options.wordnet)
    clean = collector.clean_text
    for name, rows in (("mono", collector.mono), ("pairs", collector.pairs),
                       ("asked", collector.asked)):
        print_counts(name, rows)
        rows = [tuple(map(clean, row)) for row in rows]
        rows = [row[1:] for row in rows] if name == "mono" else rows
        folders.write_rows(options.out / f"{name}.tsv.xz", rows)
    segmented = cut_chinese(collector.mono, options.sample)
    folders.write_rows(options.out / "seg_zh.txt.xz", segmented)
    print("cut into words", len(segmented))


if __name__ == "__main__":
    main()
