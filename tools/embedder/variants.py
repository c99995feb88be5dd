#!/usr/bin/env python3
"""The texts of a training run: those collected, variants of them, and each piece alone.

    variants.py TEXTS PREPARED STUDENT.json [--tiny]     prints how many there are

Chinese: texts cut into words, five times over, each time 15, 30 or 50 percent of the words of open
classes replaced by others of their class, drawn by frequency^.4. English: each text of 20 to 220
letters once, likewise; a word's class is its ending, or that it begins with a capital; the first
word, short words and the 350 most frequent stay. Then 120,000 texts put together from two to six
others, one in twelve with one of the other language. The same seeds give the same texts.
"""
import argparse
import dataclasses
import json
import os
import pathlib
import random
import re
from multiprocessing import Pool

import numpy as np

import folders

OPEN_CLASSES = set("n nr ns nt nz v vn a an t i l b s nrt j d".split())
SHARES = (0.15, 0.3, 0.5)
SPREAD = 0.4  # words are drawn by frequency to this power
WORD = re.compile("[A-Za-z]+")
ENDINGS = ("ing", "ed", "ly", "ies", "es", "s", "er", "tion", "ful", "al", "y")
FREQUENT = 350  # English words that are never replaced
CHUNK = 5000
TIMES_ZH, MOST_EN, JOINED = 5, 350000, 120000
TINY = {"mono": 3000, "pairs": 300, "asked": 300, "zh": 500, "en": 300, "joined": 200}
WORD_SOURCES = ("cldr", "tldr")  # translations of words and short names rather than sentences
replacing = {}  # of a worker: class -> (words, cumulated weights), and what is never replaced


@dataclasses.dataclass
class Texts:
    """rows: (language, kind, text); the arrays hold numbers of rows."""
    rows: list
    translations: np.ndarray  # [n, 2]: English, Chinese
    short_pair: np.ndarray  # [n]: whether a translation is of words only
    asked: np.ndarray  # [n, 2]: fact, question
    first_piece: int  # the pieces alone begin here


def classify_word(word):
    """An English word's class: capital, ending, or neither."""
    if word[0].isupper():
        return "C"
    fitting = (e for e in ENDINGS if word.endswith(e) and len(word) > len(e) + 2)
    return next(fitting, "-")


def group_words(words):
    """[(word, count, class)] -> {class: (words, cumulated weights)}"""
    groups = {}
    for word, count, kind in words:
        group = groups.setdefault(kind, ([], []))
        group[0].append(word)
        group[1].append(count ** SPREAD)
    return {kind: (group, np.cumsum(weights).tolist())
            for kind, (group, weights) in groups.items()}


def read_chinese_words(prepared):
    lines = (prepared / "words.tsv").read_text(encoding="utf-8").splitlines()
    rows = (line.split("\t") for line in lines)
    return group_words((word, float(count), kind) for word, count, kind in rows)


def count_english_words(mono):
    """-> (groups of words to draw from, words that stay)"""
    counts = {}
    for language, _, text in mono:
        if language == "en":
            for word in WORD.findall(text)[1:]:
                if len(word) > 3:
                    counts[word] = counts.get(word, 0) + 1
    common = sorted((w for w in counts if w.islower()), key=lambda w: -counts[w])
    staying = set(common[:FREQUENT])
    drawn = ((w, n, classify_word(w)) for w, n in counts.items() if w not in staying and n > 1)
    return group_words(drawn), staying


def set_replacing(groups, staying):
    """In a worker: what words are drawn from."""
    replacing["groups"], replacing["staying"] = groups, staying


def vary_chinese(job):
    """Variants of a chunk of texts cut into words."""
    seed, rows = job
    groups, rng, varied = replacing["groups"], random.Random(seed), []
    for kind, body in rows:
        share = rng.choice(SHARES)
        rng.random()  # a draw that decided about English words once; the texts stay the same by it
        new = []
        for token in body.split("\x01"):
            word, *_, part = token.split("\x02")
            if (part in OPEN_CLASSES and part in groups and len(word) > 1
                    and rng.random() < share):
                words, weights = groups[part]
                word = rng.choices(words, cum_weights=weights)[0]
            new.append(word)
        varied.append(("zh", kind, re.sub(" +", " ", "".join(new)).strip()))
    return varied


def vary_english_text(text, rng):
    share = rng.choice(SHARES)
    first = True

    def replace_word(match):
        nonlocal first
        word, is_first, first = match[0], first, False
        if is_first or len(word) < 4 or word in replacing["staying"] or rng.random() > share:
            return word
        group = replacing["groups"].get(classify_word(word))
        return rng.choices(group[0], cum_weights=group[1])[0] if group else word

    return WORD.sub(replace_word, text)


def vary_english(job):
    """Variants of a chunk of texts."""
    seed, rows = job
    rng = random.Random(seed)
    return [("en", kind, vary_english_text(text, rng)) for kind, text in rows]


def run_chunks(work, rows, seed, bank, processes):
    """Variants of all rows, a seed a chunk."""
    jobs = [(seed + i, rows[i:i + CHUNK]) for i in range(0, len(rows), CHUNK)]
    with Pool(processes, initializer=set_replacing, initargs=bank) as pool:
        return [row for chunk in pool.map(work, jobs) for row in chunk]


def join_texts(mono, count, rng):
    """Texts put together from two to six others."""
    by = {language: [text for of, _, text in mono if of == language and 8 < len(text) < 200]
          for language in ("en", "zh")}
    joined = []
    for _ in range(count):
        language = rng.choice(("en", "zh"))
        parts = [rng.choice(by[language]) for _ in range(rng.choice((2, 2, 2, 3, 4, 6)))]
        if rng.random() < 0.08:
            parts[1] = rng.choice(by["en" if language == "zh" else "zh"])
        text = (" " if language == "en" else "").join(parts)[:700]
        joined.append((folders.tell_language("".join(parts)), "p", text))
    return joined


def make_variants(folder, prepared, mono, rng, processes, tiny):
    """All that is made from the texts collected."""
    segmented = folders.read_segmented(folder)
    segmented = segmented[:TINY["zh"]] if tiny else segmented * TIMES_ZH
    english = [(kind, text) for of, kind, text in mono if of == "en" and 20 < len(text) < 220]
    english = rng.sample(english, min(len(english), TINY["en"] if tiny else MOST_EN))
    zh_bank, en_bank = (read_chinese_words(prepared), set()), count_english_words(mono)
    return (run_chunks(vary_chinese, segmented, 1000, zh_bank, processes)
            + run_chunks(vary_english, english, 9000000, en_bank, processes)
            + join_texts(mono, TINY["joined"] if tiny else JOINED, rng))


def tell_kind(text):
    return "q" if text[-1] in "?？" else "p"


def build_texts(folder, prepared, pieces, processes=2, tiny=False):
    """Reads the folder of texts and makes all rows of a run. -> Texts"""
    rng = random.Random(3)
    mono, pairs = folders.read_mono(folder), folders.read_pairs(folder)
    asked = folders.read_asked(folder)
    if tiny:
        mono = rng.sample(mono, min(len(mono), TINY["mono"]))
        pairs = rng.sample(pairs, min(len(pairs), TINY["pairs"]))
        asked = rng.sample(asked, min(len(asked), TINY["asked"]))
    rows, place = [], {}

    def put(language, kind, text):
        if text not in place:
            place[text] = len(rows)
            rows.append((language, kind, text))
        return place[text]

    for row in mono + make_variants(folder, prepared, mono, rng, processes, tiny):
        put(*row)
    pairs = [(source, en, zh) for source, en, zh in pairs if en and zh]
    translations = [(put("en", tell_kind(en), en), put("zh", tell_kind(zh), zh))
                    for _, en, zh in pairs]
    facts = [(put(folders.tell_language(fact), "p", fact),
              put(folders.tell_language(question), "q", question))
             for _, fact, question in asked if fact and question]
    short = np.array([source in WORD_SOURCES for source, _, _ in pairs])
    first_piece = len(rows)
    for piece in pieces:
        language = "zh" if folders.HAN.search(piece) else "en"
        rows.append((language, "p", piece.replace("▁", "") or "?"))
    return Texts(rows, np.array(translations), short, np.array(facts), first_piece)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("texts", type=pathlib.Path, help="folder that texts.py wrote")
    parser.add_argument("prepared", type=pathlib.Path, help="folder that prepare.py wrote")
    parser.add_argument("student", type=pathlib.Path, help="pieces and scores, student.json")
    parser.add_argument("--tiny", action="store_true")
    parser.add_argument("--show", type=int, default=0, help="print so many rows, evenly spread")
    options = parser.parse_args()
    pieces = json.loads(options.student.read_text(encoding="utf-8"))["pieces"]
    texts = build_texts(options.texts, options.prepared, pieces, os.cpu_count(), options.tiny)
    chinese = sum(language == "zh" for language, _, _ in texts.rows)
    print(f"{len(texts.rows)} texts, {chinese} Chinese, {len(texts.translations)} translations, "
          f"{len(texts.asked)} questions with facts")
    for i in range(options.show):
        print("\t".join(texts.rows[i * texts.first_piece // options.show]))


if __name__ == "__main__":
    main()
