#!/usr/bin/env python3
"""The normal form of a text and its split into pieces, in plain Python.

    unigram.py STUDENT.json TEXT ...        prints the normal form and the pieces of each text

STUDENT.json holds "pieces" and "scores" (natural logarithms), as vocabulary.py writes it. Piece 0
is <unk>. The normal form has no white space: "▁" stands before each run of ASCII letters and
digits, and nothing else marks where a word begins.
"""
import argparse
import json
import re
import unicodedata

WORD_START = "▁"
UNKNOWN = 0
UNKNOWN_COST = 10.0  # an unknown character is this much below the least probable piece


def strip_marks(text):
    """NFKD without combining marks, in lower case."""
    decomposed = unicodedata.normalize("NFKD", text)
    return "".join(c for c in decomposed if unicodedata.category(c) != "Mn").lower()


def normalize_text(text):
    """The form in which texts are split: marked words, no white space."""
    text = strip_marks(text).replace(WORD_START, " ")
    text = re.sub(r"(?<![a-z0-9])(?=[a-z0-9])", WORD_START, text)
    text = re.sub(r"\s*" + WORD_START, WORD_START, text)
    return re.sub(r"\s+", " ", text).strip().replace(" ", "")


normal = normalize_text  # the short name that golden_pieces.py uses


def normalize_piece(piece):
    """The same for a piece of the teacher's vocabulary; the mark stays before [a-z0-9] alone."""
    plain = strip_marks(piece.replace(WORD_START, ""))
    marked = piece.startswith(WORD_START) and re.match(r"[a-z0-9]", plain)
    return WORD_START + plain if marked else plain


def build_tokenizer(pieces, scores):
    """The same split by the `tokenizers` package, for millions of texts."""
    from tokenizers import Tokenizer, models
    rows = [(piece, float(score)) for piece, score in zip(pieces, scores)]
    return Tokenizer(models.Unigram(rows, unk_id=UNKNOWN, byte_fallback=False))


class Unigram:
    """The most probable split; a character that no piece covers is <unk>, neighbours are one."""

    def __init__(self, pieces, scores):
        rows = enumerate(zip(pieces, scores))
        self.rows = {piece: (i, score) for i, (piece, score) in rows if i != UNKNOWN}
        self.longest = max(map(len, pieces))
        self.unknown = min(scores) - UNKNOWN_COST

    @classmethod
    def load(cls, path):
        with open(path, encoding="utf-8") as file:
            student = json.load(file)
        return cls(student["pieces"], student["scores"])

    def split(self, normal):
        """Ids of the pieces of a text in normal form (Viterbi)."""
        size = len(normal)
        best = [0.0] + [-1e30] * size
        came = [None] * (size + 1)  # where the last piece began, and its id
        for start in range(size):
            covered = False
            for end in range(start + 1, min(size, start + self.longest) + 1):
                row = self.rows.get(normal[start:end])
                if row is None:
                    continue
                covered |= end == start + 1
                if best[start] + row[1] > best[end]:
                    best[end], came[end] = best[start] + row[1], (start, row[0])
            if not covered and best[start] + self.unknown > best[start + 1]:
                best[start + 1], came[start + 1] = best[start] + self.unknown, (start, UNKNOWN)
        ids, end = [], size
        while end:
            end, piece = came[end]
            ids.append(piece)
        ids.reverse()
        return [piece for i, piece in enumerate(ids) if piece != UNKNOWN or not i or ids[i - 1]]

    def encode(self, text):
        """Ids of the pieces of any text."""
        return self.split(normalize_text(text))


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("student", help="pieces and scores, student.json")
    parser.add_argument("text", nargs="+")
    options = parser.parse_args()
    tokenizer = Unigram.load(options.student)
    names = {i: piece for piece, (i, _) in tokenizer.rows.items()} | {UNKNOWN: "<unk>"}
    for text in options.text:
        ids = tokenizer.encode(text)
        print(normalize_text(text), ids, [names[i] for i in ids])


if __name__ == "__main__":
    main()
