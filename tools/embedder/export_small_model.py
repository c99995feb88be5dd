#!/usr/bin/env python3
"""Write the data of crates/small-model from a trained student (numpy alone).

    python tools/embedder/export_small_model.py B3.npz crates/small-model/data/model.bin
    python tools/embedder/export_small_model.py B3.npz model.bin \\
        --golden golden-B3.json crates/small-model/tests/golden.json

The first form writes the model file, whose layout is described in crates/small-model/src/file.rs.
The second also writes test vectors: of the texts in golden-B3.json (a list of objects with `ids`),
and of a few random sequences of pieces, all computed here in float32 from the same weights.

B3.npz holds a matrix as `NAME.q`, int8 [outputs, inputs], and `NAME.s`, float32 [outputs]; the word
table as `emb.q`, two codes of 4 bits a byte, the low half first, and `emb.s`, float16, one scale
for each group of 32 codes: value = (code - 7.5) * scale.
"""
import argparse, json, struct
import numpy as np

MAGIC, VERSION = b"annalssm", 1
PANEL = 16  # outputs of a matrix that lie beside each other
RANDOM_LENGTHS = [1, 2, 40, 128, 129, 300]


def crc32c(data):
    """CRC-32C (Castagnoli, RFC 3720)."""
    table = []
    for byte in range(256):
        for _ in range(8):
            byte = (byte >> 1) ^ (0x82F63B78 * (byte & 1))
        table.append(byte)
    crc = 0xFFFFFFFF
    for byte in data:
        crc = table[(crc ^ byte) & 255] ^ (crc >> 8)
    return crc ^ 0xFFFFFFFF


# The file --------------------------------------------------------------------------------------

def panels(codes):
    """Codes [outputs, inputs] in the order in which the kernels read them: for 16 outputs, for two
    inputs, the two codes of each output side by side."""
    assert codes.min() >= -127  # -128 could overflow the sums of the kernels
    outputs, inputs = codes.shape
    return codes.reshape(outputs // PANEL, PANEL, inputs // 2, 2).transpose(0, 2, 1, 3).tobytes()


def floats(values):
    return np.ascontiguousarray(values, "<f4").tobytes()


def halves(values):
    return np.ascontiguousarray(values, "<f2").tobytes()


def matrix(z, name):
    scales = z[name + ".weight.s"]
    bias = z[name + ".bias"] if name + ".bias" in z else np.zeros(len(scales))
    return [panels(z[name + ".weight.q"]), floats(scales), floats(bias)]


def normalization(z, name):
    return [floats(z[name + ".weight"]), floats(z[name + ".bias"])]


def model_file(z, conf):
    pieces, dims = len(z["emb.q"]), conf["h"]
    sections = [z["emb.q"].tobytes(), halves(z["emb.s"]), halves(z["pos"])]
    sections += normalization(z, "ln")
    for layer in range(conf["layers"]):
        at = f"layers.{layer}."
        sections += matrix(z, at + "qkv") + matrix(z, at + "o") + normalization(z, at + "ln1")
        sections += matrix(z, at + "up") + matrix(z, at + "down") + normalization(z, at + "ln2")
    sections += [floats(z["gate.weight"])] + matrix(z, "out")
    assert all(len(section) % 64 == 0 for section in sections)  # so that each begins on 64 bytes
    body = b"".join(sections)
    numbers = [VERSION, dims, conf["layers"], conf["heads"], conf["ff"], pieces, len(z["pos"])]
    header = MAGIC + struct.pack("<7IfI", *numbers, float(z["gate.bias"][0]), crc32c(body))
    return header.ljust(64, b"\0") + body


# The reference ---------------------------------------------------------------------------------

def erf(x):
    """Abramowitz and Stegun 7.1.26, error below 1.5e-7."""
    t = 1 / (1 + 0.3275911 * np.abs(x))
    y = 0
    for factor in [1.061405429, -1.453152027, 1.421413741, -0.284496736, 0.254829592]:
        y = (y + factor) * t
    return np.sign(x) * (1 - y * np.exp(-x * x))


def normalize(x, z, name):
    centred = x - x.mean(-1, keepdims=True)
    deviation = np.sqrt((centred**2).mean(-1, keepdims=True) + 1e-12)
    return centred / deviation * z[name + ".weight"] + z[name + ".bias"]


def unit(x):
    return x / max(float(np.linalg.norm(x)), 1e-9)


class Reference:
    def __init__(self, z, conf):
        codes = np.stack([z["emb.q"] & 15, z["emb.q"] >> 4], 2).reshape(len(z["emb.q"]), -1)
        self.words = (codes - np.float32(7.5)) * np.repeat(z["emb.s"].astype(np.float32), 32, 1)
        self.z, self.conf = z, conf
        self.weights = {
            name[:-2]: z[name].astype(np.float32) * z[name[:-2] + ".s"][:, None]
            for name in z.files if name.endswith(".q") and name != "emb.q"
        }

    def linear(self, name, x):
        return x @ self.weights[name + ".weight"].T + self.z[name + ".bias"]

    def part(self, ids):
        z, heads, n = self.z, self.conf["heads"], len(ids)
        x = self.words[ids] + z["pos"][:n].astype(np.float32)
        x = normalize(x, z, "ln")
        for layer in range(self.conf["layers"]):
            at = f"layers.{layer}."
            split = np.split(self.linear(at + "qkv", x), 3, 1)
            q, k, v = (part.reshape(n, heads, -1).transpose(1, 0, 2) for part in split)
            scores = q @ k.transpose(0, 2, 1) / np.float32(np.sqrt(q.shape[2]))
            shares = np.exp(scores - scores.max(-1, keepdims=True))
            context = (shares / shares.sum(-1, keepdims=True) @ v).transpose(1, 0, 2).reshape(n, -1)
            x = normalize(x + self.linear(at + "o", context), z, at + "ln1")
            inner = self.linear(at + "up", x)
            inner = 0.5 * inner * (1 + erf(inner / np.float32(np.sqrt(2))))
            x = normalize(x + self.linear(at + "down", inner), z, at + "ln2")
        gates = np.exp(np.clip(x @ z["gate.weight"][0] + z["gate.bias"][0], -8, 8))[:, None]
        return unit(self.weights["out.weight"] @ ((x * gates).sum(0) / gates.sum()))

    def vector(self, ids):
        parts = [ids[at:at + 128] for at in range(0, len(ids), 128)]
        return unit(sum(self.part(part) * len(part) for part in parts))


def golden(z, conf, texts):
    reference, random = Reference(z, conf), np.random.default_rng(7)
    sequences = [text["ids"] for text in texts]
    sequences += [random.integers(0, len(z["emb.q"]), length).tolist() for length in RANDOM_LENGTHS]
    rows = [
        {"ids": ids, "vector": [round(float(x), 6) for x in reference.vector(ids)]}
        for ids in sequences
    ]
    return "[\n" + ",\n".join(json.dumps(row, separators=(",", ":")) for row in rows) + "\n]\n"


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("student")
    parser.add_argument("out")
    parser.add_argument("--golden", nargs=2, metavar=("TEXTS", "OUT"))
    options = parser.parse_args()
    z = np.load(options.student)
    conf = json.loads(str(z["conf"]))
    with open(options.out, "wb") as file:
        file.write(model_file(z, conf))
    if options.golden:
        with open(options.golden[0], encoding="utf8") as file:
            texts = json.load(file)
        with open(options.golden[1], "w", encoding="utf8") as file:
            file.write(golden(z, conf, texts))


if __name__ == "__main__":
    main()
