#!/usr/bin/env python3
"""Writes the table of the built-in embedder: rows, pieces as a trie, and what each character becomes.

    export_table.py STUDENT.json A.npz OUT.bin

STUDENT.json holds the pieces and their scores, A.npz the rows (`emb.q` int8, `emb.s` float32).
The layout is described in crates/static-table/src/file.rs. Needs numpy. About a minute.
"""

import argparse
import json
import pathlib
import re
import struct
import unicodedata

import numpy as np

MAGIC = b"annalstb"
VERSION = 2
DIMS = 256
HEADER = 64
PAGE = 256
CODE_POINTS = 0x110000

WORD_START = "▁"
ALPHANUMERIC = "abcdefghijklmnopqrstuvwxyz0123456789"

# What a character becomes: a symbol from 1, or one of these, or an entry of the sequences.
UNKNOWN = 0
SPACE = 0x7FFF
DROPPED = 0x7FFE
SEQUENCE = 0x8000

# A node without children leads beyond the units.
NO_CHILDREN = 0x7FFFFFFF
# The symbol of the root and of units that no node has.
NO_SYMBOL = 0xFFFF
# The bit of a unit that marks a piece which is the best split of its own text.
WHOLE = 0x80000000


def number_symbols(pieces):
    """Numbers the characters of the pieces: letters and digits, the start of a word, the rest."""
    rest = sorted(set("".join(pieces[1:])) - set(ALPHANUMERIC) - {WORD_START})
    return {c: i + 1 for i, c in enumerate([*ALPHANUMERIC, WORD_START, *rest])}


def map_character(character, symbols):
    """The symbols that the normal form of one character has: NFKD, no marks, lower case."""
    parts = unicodedata.normalize("NFKD", character)
    parts = "".join(c for c in parts if unicodedata.category(c) != "Mn").lower()
    found = []
    for part in parts:
        if part == WORD_START or re.fullmatch(r"\s", part):
            code = SPACE
        else:
            code = symbols.get(part, UNKNOWN)
        # Neighbours without a piece are one unknown piece, however many they are.
        if code or found[-1:] != [UNKNOWN]:
            found.append(code)
    return found or [DROPPED]


def map_characters(symbols):
    """Page numbers, pages of 256 entries, and sequences of several symbols behind their length."""
    pages, numbers, sequences, places = [], [], [], {}
    known = {}
    for start in range(0, CODE_POINTS, PAGE):
        page = []
        for code_point in range(start, start + PAGE):
            surrogate = 0xD800 <= code_point < 0xE000
            found = [UNKNOWN] if surrogate else map_character(chr(code_point), symbols)
            if len(found) == 1:
                page.append(found[0])
                continue
            key = tuple(found)
            if key not in places:
                places[key] = len(sequences)
                sequences += [len(found), *found]
            page.append(SEQUENCE | places[key])
        key = tuple(page)
        if key not in known:
            known[key] = len(pages)
            pages.append(page)
        numbers.append(known[key])
    assert len(pages) < 0x10000 and len(sequences) < SEQUENCE
    return numbers, pages, sequences


def split_best(text, at, longest):
    """The most probable split of a text into pieces, or None where some character has no piece."""
    best, back = [0.0] + [-1e30] * len(text), [None] * (len(text) + 1)
    for i in range(len(text)):
        for j in range(i + 1, min(len(text), i + longest) + 1):
            hit = at.get(text[i:j])
            if hit and best[i] + hit[1] > best[j]:
                best[j], back[j] = best[i] + hit[1], (i, hit[0])
    split, end = [], len(text)
    while end and back[end]:
        end, piece = back[end]
        split.append(piece)
    return split[::-1] if not end else None


def build_trie(pieces, symbols):
    """Children of each node by symbol, and the piece of each node (0 for none); node 0 is the root."""
    children, piece_of = [{}], [0]
    for number, piece in enumerate(pieces):
        if number == 0:
            continue
        node = 0
        for character in piece:
            symbol = symbols[character]
            if symbol not in children[node]:
                children[node][symbol] = len(children)
                children.append({})
                piece_of.append(0)
            node = children[node][symbol]
        piece_of[node] = number
    return children, piece_of


def pack_trie(children, piece_of, whole):
    """A double array after Aoe (1989): a node's child by symbol s stands at its base + s."""
    room = 2 * len(children) + 2 * max(max(c) for c in children if c)
    taken = np.zeros(room, bool)
    based = np.zeros(room, bool)
    base, label = {}, np.full(room, NO_SYMBOL, np.uint16)
    taken[0] = True
    # Nodes with many children find a place while there is room, those with one fill the gaps.
    for node in sorted(range(len(children)), key=lambda n: -len(children[n])):
        if not children[node]:
            continue
        offsets = np.fromiter(children[node], np.int64)
        first = int(offsets.min())
        for start in np.flatnonzero(~taken):
            candidate = int(start) - first
            if candidate < 0 or based[candidate] or taken[candidate + offsets].any():
                continue
            break
        else:
            raise SystemExit("the double array has no room")
        base[node] = candidate
        based[candidate] = True
        taken[candidate + offsets] = True
        label[candidate + offsets] = offsets
    layout = [("base", "<u4"), ("label", "<u2"), ("piece", "<u2")]
    units = np.zeros(int(np.flatnonzero(taken).max()) + 1, layout)
    units["base"], units["label"] = NO_CHILDREN, NO_SYMBOL
    queue = [(0, 0)]
    for node, at in queue:
        flag = WHOLE if piece_of[node] in whole else 0
        units[at] = (base.get(node, NO_CHILDREN) | flag, label[at], piece_of[node])
        queue += [(child, base[node] + symbol) for symbol, child in children[node].items()]
    return units


def find_whole(pieces, scores):
    """Words of letters that are a piece, and that no split into smaller pieces beats."""
    at = {p: (i, s) for i, (p, s) in enumerate(zip(pieces, scores)) if i}
    longest = max(map(len, pieces))
    inside = [p for p in pieces[1:] if re.search("[a-z][^a-z0-9]", p) and p[0] != WORD_START]
    assert not inside, f"{inside[0]} begins in a word of letters and ends behind it"
    words = [i for i, p in enumerate(pieces) if re.fullmatch(WORD_START + "[a-z0-9]*[a-z]", p)]
    return {i for i in words if split_best(pieces[i], at, longest) == [i]}


def crc32c(data):
    """CRC-32C (Castagnoli)."""
    table = []
    for byte in range(256):
        for _ in range(8):
            byte = (byte >> 1) ^ (0x82F63B78 if byte & 1 else 0)
        table.append(byte)
    crc = 0xFFFFFFFF
    for byte in data:
        crc = (crc >> 8) ^ table[(crc ^ byte) & 0xFF]
    return crc ^ 0xFFFFFFFF


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("student", type=pathlib.Path, help="pieces and scores, JSON")
    parser.add_argument("rows", type=pathlib.Path, help="A.npz")
    parser.add_argument("out", type=pathlib.Path, help="the table to write")
    args = parser.parse_args()

    student = json.loads(args.student.read_text(encoding="utf8"))
    pieces, scores = student["pieces"], np.array(student["scores"], "<f8")
    # The score of a character that no piece holds.
    scores[0] = min(student["scores"]) - 10.0
    rows = np.load(args.rows)
    codes, scales = rows["emb.q"], rows["emb.s"].astype("<f4")
    assert codes.shape == (len(pieces), DIMS) and codes.dtype == np.int8
    assert not any(WORD_START in p[1:] for p in pieces[1:]), "a piece spans two words"

    symbols = number_symbols(pieces)
    numbers, pages, sequences = map_characters(symbols)
    children, piece_of = build_trie(pieces, symbols)
    units = pack_trie(children, piece_of, find_whole(pieces, scores))
    sections = [
        codes.tobytes(),
        scales.tobytes(),
        scores.tobytes(),
        units.tobytes(),
        np.array(numbers, "<u2").tobytes(),
        np.array(pages, "<u2").tobytes(),
        np.array(sequences, "<u2").tobytes(),
    ]
    body = b"".join(sections)
    counts = [VERSION, DIMS, len(pieces), len(units), len(pages), len(sequences), crc32c(body)]
    header = MAGIC + struct.pack("<7I", *counts)
    args.out.write_bytes(header + bytes(HEADER - len(header)) + body)
    print(f"{len(units)} units for {len(children)} nodes, {len(symbols)} symbols, {len(pages)} pages")
    print(f"{len(header) + len(body)} bytes, checksum {counts[-1]:08x}")


if __name__ == "__main__":
    main()
