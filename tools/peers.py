#!/usr/bin/env python3
"""Ranks the turns of evaluation sets with what others offer, to be read beside `annals eval recall`.

    peers.py MODEL_FOLDER SET.json ... [--without mem0]

Needs numpy, onnxruntime, tokenizers, rank_bm25, snowballstemmer, and mem0ai with faiss-cpu. MODEL_FOLDER holds model.onnx and
tokenizer.json of a sentence encoder with mean pooling (all-MiniLM-L6-v2). Every conversation is a
collection of its own; a turn is stored with its speaker, and a question is asked as it is. Prints, for each set and ranking, the mean share
of the evidence among the first ten (five for facts, memdaily and memorybank).

    bm25    Okapi BM25, k1 1.2, b 0.75; stems of Latin words, pairs of Chinese characters
    dense   cosine of the turn and the question
    fusion  reciprocal rank fusion of both, k = 60 (Cormack, Clarke and Büttcher, 2009)
    mem0    mem0 with `infer=False`, the same encoder and a FAISS store; no model is asked
"""
import json
import os
import re
import sys
import tempfile

os.environ.setdefault("MEM0_TELEMETRY", "False")
os.environ.setdefault("OPENAI_API_KEY", "unused")

FIRST_FIVE = ("facts", "memdaily", "memorybank")
FUSED = 60
BATCH = 32


class Encoder:
    """Sentences as vectors of length 1."""

    def __init__(self, folder):
        import numpy
        import onnxruntime
        import tokenizers
        self.np = numpy
        self.tokenizer = tokenizers.Tokenizer.from_file(os.path.join(folder, "tokenizer.json"))
        self.tokenizer.enable_truncation(256)
        self.tokenizer.enable_padding()
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        self.session = onnxruntime.InferenceSession(os.path.join(folder, "model.onnx"), options)
        self.inputs = {given.name for given in self.session.get_inputs()}

    def encode(self, texts):
        vectors = [self._batch(texts[at:at + BATCH]) for at in range(0, len(texts), BATCH)]
        return self.np.concatenate(vectors)

    def _batch(self, texts):
        np = self.np
        encoded = self.tokenizer.encode_batch(list(texts))
        ids = np.array([one.ids for one in encoded], np.int64)
        mask = np.array([one.attention_mask for one in encoded], np.int64)
        given = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        hidden = self.session.run(None, {name: given[name] for name in self.inputs})[0]
        sums = (hidden * mask[:, :, None]).sum(1)
        return sums / np.linalg.norm(sums, axis=1, keepdims=True)


def told(turn):
    """A turn as it is stored: with its speaker, as talks between people need."""
    return f"{turn['speaker']}: {turn['text']}"


def terms(text, stemmer):
    words = stemmer.stemWords(re.findall(r"[^\W_\u3400-\u9fff]+", text.lower()))
    runs = re.findall(r"[\u3400-\u9fff]+", text)
    return words + [run[at:at + 2] for run in runs for at in range(max(1, len(run) - 1))]


def best_first(scores):
    return sorted(range(len(scores)), key=lambda at: -scores[at])


def fused(*rankings):
    scores = {}
    for ranking in rankings:
        for place, at in enumerate(ranking):
            scores[at] = scores.get(at, 0.0) + 1 / (FUSED + place + 1)
    return sorted(scores, key=lambda at: -scores[at])


class Mem0:
    """Messages in mem0, each by the place of its turn."""

    class Embedding:
        """What mem0 asks for vectors."""

        def __init__(self, encoder, dims):
            from types import SimpleNamespace
            self.encoder, self.config = encoder, SimpleNamespace(embedding_dims=dims)

        def embed(self, text, memory_action=None):
            return self.encoder.encode([text])[0].tolist()

        def embed_batch(self, texts, memory_action=None):
            return self.encoder.encode(texts).tolist()

    def __init__(self, encoder, dims, folder):
        from mem0 import Memory
        store = {"collection_name": "turns", "path": folder, "embedding_model_dims": dims,
                 "distance_strategy": "cosine"}
        self.memory = Memory.from_config({
            "vector_store": {"provider": "faiss", "config": store},
            "history_db_path": os.path.join(folder, "history.db"),
        })
        self.memory.embedding_model = self.Embedding(encoder, dims)

    def fill(self, conversation, turns):
        for at, turn in enumerate(turns):
            self.memory.add(
                [{"role": "user", "content": told(turn)}], user_id=conversation, infer=False,
                metadata={"place": at},
            )

    def ranked(self, conversation, question, most):
        found = self.memory.search(question, filters={"user_id": conversation}, top_k=most, threshold=0.0)
        return [hit["metadata"]["place"] for hit in found["results"]]


def run(path, encoder, with_mem0):
    import rank_bm25
    import snowballstemmer
    stemmer = snowballstemmer.stemmer("english")
    with open(path, encoding="utf-8") as file:
        data = json.load(file)
    name = os.path.basename(path).removesuffix(".json")
    first = 5 if name.startswith(FIRST_FIVE) else 10
    found, asked = {}, 0
    with tempfile.TemporaryDirectory() as folder:
        mem0 = Mem0(encoder, encoder.encode(["x"]).shape[1], folder) if with_mem0 else None
        for conversation in data["conversations"]:
            turns = conversation["turns"]
            bm25 = rank_bm25.BM25Okapi([terms(told(turn), stemmer) for turn in turns], k1=1.2, b=0.75)
            vectors = encoder.encode([told(turn) for turn in turns])
            if mem0:
                mem0.fill(conversation["id"], turns)
            for question in conversation["questions"]:
                if not question["evidence"]:
                    continue
                words = best_first(bm25.get_scores(terms(question["q"], stemmer)))
                meaning = best_first(vectors @ encoder.encode([question["q"]])[0])
                rankings = {"bm25": words, "dense": meaning, "fusion": fused(words, meaning)}
                if mem0:
                    rankings["mem0"] = mem0.ranked(conversation["id"], question["q"], first)
                evidence = set(question["evidence"])
                for ranking, places in rankings.items():
                    hits = sum(turns[at]["id"] in evidence for at in places[:first])
                    found[ranking] = found.get(ranking, 0.0) + hits / len(evidence)
                asked += 1
    shares = "  ".join(f"{ranking} {total / asked:.3f}" for ranking, total in found.items())
    print(f"{name:20} recall@{first:<2}  {asked:4} questions  {shares}", flush=True)


def main(arguments):
    with_mem0 = "--without" not in arguments
    paths = arguments if with_mem0 else arguments[:arguments.index("--without")]
    if len(paths) < 2:
        raise SystemExit(__doc__)
    encoder = Encoder(paths[0])
    for path in paths[1:]:
        run(path, encoder, with_mem0)


if __name__ == "__main__":
    main(sys.argv[1:])
