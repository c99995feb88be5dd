#!/usr/bin/env python3
"""Train both students at once: the table (A) and the small transformer (B3).

    train.py TEXTS PREPARED STUDENT.json OUT [--steps 3650] [--tiny]

TEXTS: asked.tsv.xz, mono.tsv.xz, pairs.tsv.xz and seg_zh.txt.xz, as texts.py writes them; PREPARED:
the folder of prepare.py; STUDENT.json: of vocabulary.py. Writes OUT/A.npz and OUT/B3.npz. Takes one
GPU, and four minutes on an H200; --tiny tries the whole way on a processor, with a few texts, one
layer of each teacher and six steps: its students are of no use.
"""
import argparse
import collections
import json
import math
import os
import pathlib
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

import students
import teach
import tokens
from network import move_batch
from variants import build_texts

SEED = 0
STEPS, TINY_STEPS = 3650, 6
BATCH, TINY_BATCH = 4096, 256
CLUSTERS, TINY_CLUSTERS = 3000, 64
SHORT, PAIR_LIMIT = 40, 64  # tokens of a text of the usual batches; of one that has a partner
LONG_EVERY = 7  # each seventh batch is of long texts, a quarter as many
RUN = 64  # neighbours in a row
TEMPERATURE = 0.06
PARTNER = 0.5  # share of the aim that a text's partner gets
KL_WEIGHT, KL_WEIGHT_LONG = 0.5, 0.25
RATES = {"A": 3e-3, "B3": 1e-3}
WARM_UP, FLAT, LEAST_RATE, ROUNDING = 0.04, 0.3, 0.01, 0.55
AHEAD, THREADS = 24, 6
BEGUN = time.time()


def log(*values):
    print(f"{time.time() - BEGUN:7.1f}", *values, flush=True)


class Batches:
    """Which texts come together. A batch: 1/16 of questions with their facts, 3/32 of translated
    sentences and 1/32 of translated words, both sides each; 1/4 in runs of neighbours; the rest
    half Chinese."""

    def __init__(self, texts, split, clusters, size):
        self.texts, self.split, self.size = texts, split, size
        count = texts.first_piece
        short = np.flatnonzero(split.lengths[:count] <= SHORT)
        self.long = np.flatnonzero(split.lengths[:count] > SHORT)
        order = np.random.default_rng(SEED).permutation(short)
        self.order = order[np.argsort(clusters[order], kind="stable")]
        chinese = np.array([language == "zh" for language, _, _ in texts.rows])
        self.chinese, self.english = short[chinese[short]], short[~chinese[short]]
        self.sentences = np.flatnonzero(~texts.short_pair)
        self.words = np.flatnonzero(texts.short_pair)

    def draw_partners(self, rng):
        """Translations and questions with facts: [n, 2]"""
        part = self.size // 16
        if len(self.words):
            chosen = np.concatenate([rng.choice(self.sentences, part + part // 2),
                                     rng.choice(self.words, part // 2)])
        else:
            chosen = rng.choice(self.sentences, 2 * part)
        asked = rng.choice(len(self.texts.asked), part)
        both = np.concatenate([self.texts.translations[chosen], self.texts.asked[asked]])
        return both[(self.split.lengths[both] <= PAIR_LIMIT).all(1)]

    def make_batch(self, number):
        """-> (packed tokens, numbers of the texts, place of each one's partner or -1)"""
        rng = np.random.default_rng((SEED, number))
        if number % LONG_EVERY == LONG_EVERY - 1 and len(self.long):
            rows = rng.choice(self.long, self.size // 4)
            return tokens.pack_texts(self.split, rows), rows, np.full(len(rows), -1)
        runs = rng.integers(0, max(1, len(self.order) - RUN), self.size // 256)
        near = np.concatenate([self.order[begin:begin + RUN] for begin in runs])
        both = self.draw_partners(rng)
        count = len(both)
        rest = self.size - len(near) - 2 * count
        rows = np.concatenate([both[:, 0], both[:, 1], near, rng.choice(self.chinese, rest // 2),
                               rng.choice(self.english, rest - rest // 2)])
        places = np.arange(count)
        partners = np.concatenate([places + count, places, np.full(len(rows) - 2 * count, -1)])
        return tokens.pack_texts(self.split, rows), rows, partners

    def feed(self, count):
        """Batches 0 to count - 1, made some ahead of their use."""
        with ThreadPoolExecutor(THREADS) as pool:
            waiting = collections.deque()
            for number in range(count):
                waiting.append(pool.submit(self.make_batch, number))
                if len(waiting) > AHEAD:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()


@torch.no_grad()
def make_aim(joined, partners):
    """For each text the share of its likeness that every other one of the batch has in the
    teacher's eyes, half of it the partner's. -> (aim, its negative entropy, whether partnered)"""
    cosines = (joined @ joined.T).float()
    cosines.fill_diagonal_(-9)
    aim = F.softmax(cosines / TEMPERATURE, 1)
    rows = torch.from_numpy(np.flatnonzero(partners >= 0)).to(aim.device)
    places = torch.from_numpy(partners).to(aim.device)[rows]
    aim[rows] *= 1 - PARTNER
    aim[rows, places] += PARTNER
    return aim, (aim * torch.log(aim.clamp_min(1e-9))).sum(1), len(rows) > 0


def measure_loss(vectors, small, aim, entropy, weight):
    """1 - cosine to the target, and KL of the shares. -> (loss, first part, second part)"""
    cosines = vectors @ vectors.T
    own = torch.zeros_like(cosines).fill_diagonal_(-9 / TEMPERATURE)
    shares = F.log_softmax(cosines / TEMPERATURE + own, 1)
    direct = 1 - (vectors * small).sum(1).mean()
    divergence = (entropy - (aim * shares).sum(1)).mean()
    return direct + weight * divergence, direct.item(), divergence.item()


def make_optimizer(model, rate, device):
    """AdamW; weight decay on matrices but the words."""
    decayed = [p for name, p in model.named_parameters() if p.ndim > 1 and name != "emb"]
    others = [p for name, p in model.named_parameters() if p.ndim < 2 or name == "emb"]
    groups = [{"params": decayed, "weight_decay": 0.01}, {"params": others, "weight_decay": 0}]
    return torch.optim.AdamW(groups, lr=rate, betas=(0.9, 0.98), fused=device == "cuda")


def find_rate(done):
    """Share of the full rate when so much of the run is done."""
    fall = 0.5 * (1 + math.cos(math.pi * (done - FLAT) / (1 - FLAT)))
    return min(1, done / WARM_UP) * (1 if done < FLAT else max(fall, LEAST_RATE))


def train_students(models, batches, targets, steps, device):
    """The loop: every batch is for both students."""
    optimizers = {name: make_optimizer(m, RATES[name], device) for name, m in models.items()}
    for step, (packed, rows, partners) in enumerate(batches.feed(steps)):
        batch = move_batch(packed, device)
        chosen = torch.from_numpy(rows).to(device)
        small = targets.small[chosen].float()
        aim, entropy, partnered = make_aim(targets.joined[chosen], partners)
        done, losses = step / steps, {}
        for name, model in models.items():
            for group in optimizers[name].param_groups:
                group["lr"] = RATES[name] * find_rate(done)
            vectors = model(batch, rounding=done > ROUNDING)
            loss, *losses[name] = measure_loss(
                vectors, small, aim, entropy, KL_WEIGHT if partnered else KL_WEIGHT_LONG)
            loss = loss + model.measure_pull()
            optimizers[name].zero_grad(set_to_none=True)
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizers[name].step()
        if step % 50 == 0 or step == steps - 1:
            shown = [f"{name} {a:.4f} {b:.4f}" for name, (a, b) in losses.items()]
            log("step", step, "cosine and KL:", *shown)


def split_all(texts, options, processes):
    """Token ids of all three. -> (student's, e5's, MiniLM's, numbers of the English texts)"""
    plain = [text for _, _, text in texts.rows]
    student = tokens.split_texts(tokens.split_for_student, options.student, plain, processes)
    student = tokens.replace_pieces(student, texts.first_piece)
    asked = [("query: " if kind == "q" else "passage: ") + text for _, kind, text in texts.rows]
    e5 = tokens.split_texts(tokens.split_for_e5, options.prepared, asked, processes)
    english = np.flatnonzero([language == "en" for language, _, _ in texts.rows])
    minilm = tokens.split_texts(
        tokens.split_for_minilm, options.prepared, [plain[i] for i in english], processes)
    return student, e5, minilm, english


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("texts", type=pathlib.Path)
    parser.add_argument("prepared", type=pathlib.Path)
    parser.add_argument("student", type=pathlib.Path, metavar="STUDENT.json")
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--steps", type=int)
    parser.add_argument("--tiny", action="store_true")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    tiny, device = options.tiny, "cuda" if torch.cuda.is_available() else "cpu"
    if device == "cpu" and not tiny:
        parser.error("no GPU found: only --tiny runs without one")
    torch.backends.cuda.matmul.allow_tf32 = True
    torch.manual_seed(SEED)
    processes = max(1, (os.cpu_count() or 2) - 1)
    pieces = json.loads(options.student.read_text(encoding="utf-8"))["pieces"]
    texts = build_texts(options.texts, options.prepared, pieces, processes, tiny)
    log("texts", len(texts.rows), "translations", len(texts.translations), "on", device)
    split, e5_split, minilm_split, english = split_all(texts, options, processes)
    log("tokens", len(split.flat), len(e5_split.flat), len(minilm_split.flat))
    one = {"layers": 1} if tiny else {}
    e5 = teach.load_e5(options.prepared, device, **one).embed_texts(e5_split, device)
    minilm = teach.load_minilm(options.prepared, device, **one).embed_texts(minilm_split, device)
    log("teachers' vectors", tuple(e5.shape), tuple(minilm.shape))
    clusters = TINY_CLUSTERS if tiny else CLUSTERS
    targets = teach.make_targets(texts, e5, minilm, english, clusters, device)
    del e5, minilm
    rows = students.start_table(targets.small[texts.first_piece:], split, texts.first_piece)
    words = students.start_words(pieces, *teach.read_e5_words(options.prepared, device))
    models = {"A": students.Table(rows).to(device),
              "B3": students.Transformer(words).to(device)}
    batches = Batches(texts, split, targets.clusters, TINY_BATCH if tiny else BATCH)
    steps = options.steps or (TINY_STEPS if tiny else STEPS)
    train_students(models, batches, targets, steps, device)
    students.save_table(models["A"], options.out / "A.npz")
    students.save_transformer(models["B3"], options.out / "B3.npz")
    log("saved", *(f"{name}.npz" for name in models), "in", options.out)


if __name__ == "__main__":
    main()
