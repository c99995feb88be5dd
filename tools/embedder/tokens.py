"""Token ids of all texts, packed one after the other, for both teachers and the student."""
import dataclasses
import json
import os
import pathlib
from multiprocessing import Pool

import numpy as np

from unigram import build_tokenizer, normalize_text
from wheels import build_e5_tokenizer

CHUNK = 40000
STUDENT_LIMIT, E5_LIMIT, MINILM_LIMIT = 128, 256, 192


@dataclasses.dataclass
class Tokens:
    """flat: ids of all texts; lengths and starts: of each text within it."""
    flat: np.ndarray
    lengths: np.ndarray
    starts: np.ndarray

    @classmethod
    def join(cls, flat, lengths):
        starts = np.concatenate([[0], np.cumsum(lengths.astype(np.int64))])
        return cls(flat, lengths, starts)


@dataclasses.dataclass
class Packed:
    """The tokens of some texts without padding. owner: text of each token; position: its place in
    the text; place: its place in the padded batch [texts, longest]."""
    ids: np.ndarray
    owner: np.ndarray
    position: np.ndarray
    place: np.ndarray
    lengths: np.ndarray
    longest: int


def pack_texts(tokens, rows):
    """Tokens of the texts of these numbers. -> Packed"""
    lengths = tokens.lengths[rows].astype(np.int64)
    longest = int(lengths.max())
    owner = np.repeat(np.arange(len(rows)), lengths)
    position = np.arange(lengths.sum()) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    ids = tokens.flat[np.repeat(tokens.starts[rows], lengths) + position].astype(np.int64)
    return Packed(ids, owner, position, owner * longest + position, lengths, longest)


def cut_ids(lists, limit):
    """-> (ids one after the other, lengths), no text longer than limit"""
    lengths = np.array([min(len(ids), limit) for ids in lists], np.int32)
    return np.concatenate([np.asarray(ids[:limit], np.int32) for ids in lists]), lengths


def split_for_student(job):
    path, texts = job
    student = json.loads(pathlib.Path(path).read_text(encoding="utf-8"))
    tokenizer = build_tokenizer(student["pieces"], student["scores"])
    split = tokenizer.encode_batch([normalize_text(text) for text in texts])
    return cut_ids([encoding.ids or [0] for encoding in split], STUDENT_LIMIT)


def split_for_e5(job):
    path, texts = job
    words = json.loads((path / "e5.json").read_text(encoding="utf-8"))
    tokenizer = build_e5_tokenizer(words["pieces"], words["scores"], words["unk"])
    inner = E5_LIMIT - 2
    return cut_ids([[words["bos"], *encoding.ids[:inner], words["eos"]]
                    for encoding in tokenizer.encode_batch(texts)], E5_LIMIT)


def split_for_minilm(job):
    from tokenizers import BertWordPieceTokenizer
    path, texts = job
    tokenizer = BertWordPieceTokenizer(str(path / "wordpiece.txt"), lowercase=True)
    return cut_ids([encoding.ids for encoding in tokenizer.encode_batch(texts)], MINILM_LIMIT)


def split_texts(split, path, texts, processes):
    """All texts by one of the functions above; path is what it reads. -> Tokens"""
    os.environ["TOKENIZERS_PARALLELISM"] = "false"
    jobs = [(path, texts[i:i + CHUNK]) for i in range(0, len(texts), CHUNK)]
    with Pool(processes) as pool:
        parts = pool.map(split, jobs, chunksize=1)
    return Tokens.join(np.concatenate([p[0] for p in parts]), np.concatenate([p[1] for p in parts]))


def replace_pieces(tokens, first_piece):
    """The texts from first_piece on are the pieces themselves: one id each."""
    count = len(tokens.lengths) - first_piece
    flat = np.concatenate([tokens.flat[:tokens.starts[first_piece]],
                           np.arange(count, dtype=np.int32)])
    lengths = np.concatenate([tokens.lengths[:first_piece], np.ones(count, np.int32)])
    return Tokens.join(flat, lengths)
