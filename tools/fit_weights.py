#!/usr/bin/env python3
"""Fit the relevance weights of the default profile to what the engine itself computed.

    annals eval recall SET.json --candidates A.ndjson            (once for each set; needs numpy)
    python3 tools/fit_weights.py A.ndjson [B.ndjson ...]

Each line of a candidates file is a question with the feature values of every candidate and whether it is evidence. The fit is
convex: a softmax over the candidates of a question should give its mass to the evidence; weights are not negative and
sum to 1. Every set counts alike. Printed: the weights fitted on everything, their spread when each
conversation is left out in turn, and recall@5 and @10 of the candidates under the committed, the fitted and the left-out weights.
"""
import json, sys
import numpy as np

FEATURES = ["dense", "text", "window", "context", "speaker", "time", "asks_time"]
COMMITTED = np.array([0.12, 0.155, 0.20, 0.215, 0.105, 0.135, 0.07])
STEPS, SCALE, RATE = 150, 20.0, 0.1


def load(path):
    """-> list of (conversation, features [n, 7], evidence [n], evidence in all)"""
    questions = []
    for line in open(path, encoding="utf-8"):
        question = json.loads(line)
        rows = question["candidates"]
        values = np.array([[row["features"][f] or 0.0 for f in FEATURES] for row in rows]).reshape(len(rows), len(FEATURES))
        evidence = np.array([row["evidence"] for row in rows], bool)
        questions.append((question["conversation"], values, evidence, max(question["evidence"], 1)))
    return questions


def fit(sets):
    """Projected gradient ascent on the mean log share of the evidence, sets weighing alike."""
    usable = [[q for q in questions if q[2].any()] for questions in sets]
    weights = np.full(len(FEATURES), 1.0 / len(FEATURES))
    for step in range(STEPS):
        gradient = np.zeros(len(FEATURES))
        for questions in usable:
            for _, values, evidence, _ in questions:
                scores = SCALE * values @ weights
                p = np.exp(scores - scores.max())
                p /= p.sum()
                inside = p * evidence
                gradient += SCALE * (inside / inside.sum() - p) @ values / len(questions) / len(usable)
        weights = np.maximum(weights + RATE / (1 + step / 50) * gradient / SCALE, 0.0)
        weights /= weights.sum()
    return weights


def recall(questions, weights, k):
    found = []
    for _, values, evidence, total in questions:
        order = np.argsort(-(values @ weights), kind="stable")[:k]
        found.append(evidence[order].sum() / total)
    return float(np.mean(found)) if found else 0.0


def main():
    sets = [load(path) for path in sys.argv[1:]]
    if not sets:
        sys.exit(__doc__)
    fitted = fit(sets)
    folds, left = [], [[] for _ in sets]
    for conversation in sorted({q[0] for questions in sets for q in questions}):
        weights = fit([[q for q in questions if q[0] != conversation] for questions in sets])
        folds.append(weights)
        for at, questions in enumerate(sets):
            own = [q for q in questions if q[0] == conversation]
            left[at] += [(recall([q], weights, 5), recall([q], weights, 10)) for q in own]
    folds = np.array(folds)
    print("feature      committed  fitted  mean and spread over folds")
    for at, feature in enumerate(FEATURES):
        print(f"{feature:12s} {COMMITTED[at]:9.3f} {fitted[at]:7.3f}  {folds[:, at].mean():.3f} +- {folds[:, at].std():.3f}")
    for path, questions, out in zip(sys.argv[1:], sets, left):
        r5, r10 = np.array(out).mean(0)
        for name, a, b in (("committed", *(recall(questions, COMMITTED, k) for k in (5, 10))),
                           ("fitted", *(recall(questions, fitted, k) for k in (5, 10))), ("left out", r5, r10)):
            print(f"{path}: {name:9s} recall@5 {a:.4f}  recall@10 {b:.4f}")


if __name__ == "__main__":
    main()
