"""What the teachers say of each text: the target of every student.

multilingual-e5-small and all-MiniLM-L6-v2 (English only), each by the mean of its tokens. From e5's
vectors the mean of their language and kind (question or not) is taken, from MiniLM's the mean of
their kind. A Chinese text's half of MiniLM is that of its English translation where there is one,
else what a ridge regression makes of e5's vector. Joined: [e5 x .75^.5, MiniLM x .25^.5].
"""
import dataclasses
import json

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

from network import Layer, move_batch, sum_by_text
from tokens import pack_texts

SIZE, HEADS, INNER = 384, 12, 1536
E5_LAYERS, MINILM_LAYERS = 12, 6
E5_SHARE = 0.75
RIDGE = 100
DIMS = 256
SAMPLE = 200000  # texts from which the principal axes are taken
CLUSTER_SAMPLE, CLUSTER_ROUNDS = 100000, 6
CHUNK = 65536


@dataclasses.dataclass
class Targets:
    """joined: [texts, 768] half; small: [texts, 256] half, its principal axes at length 1;
    clusters: [texts before the pieces], neighbours have the same."""
    joined: torch.Tensor
    small: torch.Tensor
    clusters: np.ndarray


def to_tensor(values, device):
    return torch.from_numpy(np.array(values, np.float32)).to(device)


def unpack_groups(packed, device):
    """A matrix of 4 bits in groups of 32, as prepare.py packs it."""
    groups = torch.from_numpy(packed.copy()).to(device).view(len(packed), -1, 18)
    scales = groups[:, :, :2].contiguous().view(torch.float16).float()
    codes = groups[:, :, 2:]
    values = torch.cat([(codes & 15).float() - 8, (codes >> 4).float() - 8], 2) * scales
    return values.reshape(len(packed), -1)


@torch.no_grad()
def fill_layer(layer, qkv, o, up, down, ln1, ln2):
    """Puts weights and biases into a layer; qkv: three such pairs."""
    qkv = [torch.cat([part[i] for part in qkv]) for i in (0, 1)]
    modules = (layer.qkv, layer.o, layer.up, layer.down, layer.ln1, layer.ln2)
    for module, (weight, bias) in zip(modules, (qkv, o, up, down, ln1, ln2)):
        module.weight.copy_(weight)
        module.bias.copy_(bias)
    return layer


class Teacher(nn.Module):
    """A transformer whose text vector is the mean of its tokens at length 1."""

    def __init__(self, words, places, norm, layers, eps):
        super().__init__()
        self.words, self.places, self.norm, self.eps = words, places, norm, eps
        self.layers = nn.ModuleList(layers)

    @torch.no_grad()
    def embed_texts(self, tokens, device):
        """-> [texts, 384] in half precision"""
        vectors = torch.zeros(len(tokens.lengths), SIZE, dtype=torch.float16, device=device)
        order = np.argsort(tokens.lengths, kind="stable")
        room, begin = 131072 if device == "cuda" else 8192, 0
        while begin < len(order):
            longest = tokens.lengths[order[min(len(order) - 1, begin + 4000)]]
            rows = order[begin:begin + max(1, room // max(1, int(longest)))]
            begin += len(rows)
            batch = move_batch(pack_texts(tokens, rows), device)
            with torch.autocast(device, torch.float16, enabled=device == "cuda"):
                x = self.words[batch.ids] + self.places[batch.position]
                x = F.layer_norm(x, (SIZE,), *self.norm, self.eps)
                for layer in self.layers:
                    x = layer(x, batch)
            mean = sum_by_text(x.float(), batch) / batch.lengths[:, None].float()
            vectors[torch.from_numpy(rows).to(device)] = F.normalize(mean, dim=1).half()
        return vectors


def load_e5(prepared, device, layers=E5_LAYERS):
    """-> Teacher"""
    file = np.load(prepared / "e5.npz")
    eps = float(file["eps"])

    def read_pair(name):
        return unpack_groups(file[name + ".w"], device), to_tensor(file[name + ".b"], device)

    def read_norm(name):
        return to_tensor(file[name + ".w"], device), to_tensor(file[name + ".b"], device)

    stack = []
    for i in range(layers):
        at = f"l{i}."
        stack.append(fill_layer(
            Layer(SIZE, HEADS, INNER, eps).to(device), [read_pair(at + n) for n in "qkv"],
            read_pair(at + "ao"), read_pair(at + "fi"), read_pair(at + "fo"),
            read_norm(at + "aln"), read_norm(at + "oln")))
    words = unpack_groups(file["emb.word"], device)
    return Teacher(words, to_tensor(file["emb.pos"], device), read_norm("emb.ln"), stack, eps)


def load_minilm(prepared, device, layers=MINILM_LAYERS):
    """-> Teacher"""
    file = np.load(prepared / "minilm.npz")

    def read_pair(name):
        scales = to_tensor(file[name + ".weight|s"], device)
        weight = to_tensor(file[name + ".weight"], device) * scales[:, None]
        return weight, to_tensor(file[name + ".bias"], device)

    def read_norm(name):
        return tuple(to_tensor(file[f"{name}.{part}"], device) for part in ("weight", "bias"))

    stack = []
    for i in range(layers):
        at = f"encoder.layer.{i}."
        stack.append(fill_layer(
            Layer(SIZE, HEADS, INNER).to(device),
            [read_pair(at + "attention.self." + n) for n in ("query", "key", "value")],
            read_pair(at + "attention.output.dense"), read_pair(at + "intermediate.dense"),
            read_pair(at + "output.dense"), read_norm(at + "attention.output.LayerNorm"),
            read_norm(at + "output.LayerNorm")))
    places = to_tensor(file["embeddings.position_embeddings.weight"], device)
    places = places + to_tensor(file["embeddings.token_type_embeddings.weight"], device)[0]
    words = unpack_groups(file["embeddings.word_embeddings.weight|q4"], device)
    return Teacher(words, places, read_norm("embeddings.LayerNorm"), stack, 1e-12)


def read_e5_words(prepared, device):
    """-> (e5's word rows, its vocabulary as prepare.py wrote it)"""
    words = unpack_groups(np.load(prepared / "e5.npz")["emb.word"], device)
    return words, json.loads((prepared / "e5.json").read_text(encoding="utf-8"))


def subtract_means(vectors, labels, count):
    """Takes from each vector the mean of those with its label; only the first `count` are asked."""
    for label in torch.unique(labels):
        chosen = labels == label
        asked = chosen.clone()
        asked[count:] = False
        vectors[chosen] -= vectors[asked].mean(0)
    return F.normalize(vectors, dim=1)


def join_teachers(e5, minilm, english, chinese, questions, translations, first_piece):
    """The target of 768 numbers. e5: [texts, 384]; minilm: [English texts, 384], english: their
    numbers; chinese, questions: [texts] of bools; translations: [n, 2]. -> half"""
    e5 = subtract_means(e5, chinese * 2 + questions, first_piece)
    minilm = subtract_means(minilm, questions[english].long(), len(minilm))
    known = e5[english]
    normal = known.T @ known + RIDGE * torch.eye(SIZE, device=e5.device)
    ridge = torch.linalg.solve(normal, known.T @ minilm)
    second = F.normalize(e5 @ ridge, dim=1)
    second[english] = minilm
    second[translations[:, 1]] = second[translations[:, 0]]
    first = e5.clone()  # a translation points half to its English text
    halves = e5[translations[:, 1]] + e5[translations[:, 0]]
    first[translations[:, 1]] = F.normalize(halves, dim=1)
    return torch.cat([first * E5_SHARE ** 0.5, second * (1 - E5_SHARE) ** 0.5], 1)


def find_axes(joined, chinese, sample):
    """The 256 principal axes, both languages weighing the same."""
    is_zh = chinese[sample]
    weights = torch.where(is_zh, 1 / is_zh.sum(), 1 / (~is_zh).sum()).float()
    chosen = joined[sample]
    _, vectors = torch.linalg.eigh((chosen * weights[:, None]).T @ chosen)
    return vectors[:, -DIMS:].flip(1).contiguous()


def cluster_texts(small, sample, count, first_piece):
    """Spherical k-means on a sample, then the nearest centre of each text."""
    chosen = small[sample[:CLUSTER_SAMPLE]].float()
    centres = small[sample[:count]].float()
    for _ in range(CLUSTER_ROUNDS):
        nearest = (chosen @ centres.T).argmax(1)
        sums = torch.zeros_like(centres).index_add(0, nearest, chosen)
        centres = F.normalize(sums + 1e-6 * centres, dim=1)
    parts = [(small[i:min(i + CHUNK, first_piece)].float() @ centres.T).argmax(1)
             for i in range(0, first_piece, CHUNK)]
    return torch.cat(parts).cpu().numpy()


def make_targets(texts, e5, minilm, english, clusters, device):
    """Everything the students are asked to be near. texts: variants.Texts. -> Targets"""
    chinese = torch.tensor([language == "zh" for language, _, _ in texts.rows], device=device)
    questions = torch.tensor([kind == "q" for _, kind, _ in texts.rows], device=device)
    pairs = torch.from_numpy(texts.translations).to(device)
    joined = join_teachers(e5.float(), minilm.float(), torch.from_numpy(english).to(device),
                           chinese, questions, pairs, texts.first_piece)
    sample = torch.randperm(texts.first_piece, device=device)[:SAMPLE]
    axes = find_axes(joined, chinese, sample)
    small = F.normalize(joined @ axes, dim=1).half()
    kept = float(((joined[sample] @ axes) ** 2).sum(1).mean())
    near = float((small[pairs[:2000, 0]].float() * small[pairs[:2000, 1]].float()).sum(1).mean())
    print(f"share kept by the 256 axes {kept:.4f}, cosine of translations {near:.4f}", flush=True)
    groups = cluster_texts(small, sample, clusters, texts.first_piece)
    return Targets(joined.half(), small, groups)
