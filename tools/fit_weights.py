#!/usr/bin/env python3
"""Fits what ranks memories, and what says whether anything answers, to what the engine computed.

    fit_weights.py prepare EVERYDAY.txt OUT_FOLDER SET.json ...   adds questions that nothing answers: those of the next conversation, and
                                                                 everyday prompts (chatter.txt and world.txt of crates/recall/data in one)
    annals eval recall OUT_FOLDER/SET.json --candidates C.ndjson  once for each set, with the program as it is
    fit_weights.py fit C.ndjson ...                               needs numpy and scipy

A family is the name of a set up to its first "-": its sets are left out together. Weights of relevance are not negative; a prior
takes a share of what is left (crates/recall/README.md has the formula). The loss of a question is the mean, over its evidence, of
half 1 / log2(1 + rank) and half a smooth "among the first ten" (five where few are wanted), with ranks as sums of sigmoids of
differences of scores (Qin, Liu and Li, 2010). Each question of the sets counts the same. The head is a logistic regression;
families weigh alike, and in each the questions with an answer as much as those without.
"""
import json
import os
import sys

RELEVANCE = ["own", "dense", "text", "window", "context", "speaker", "time", "asks_time", "answers"]
PRIORS = ["role", "tells"]
SURROUNDINGS = ["window", "context", "answers"]
ALONE_SHARE = 0.2  # recall.alone_share
FIRST_FIVE = ("facts", "memdaily", "memorybank", "prompts")
HEADS = (["nearest", "everyday", "best", "first_person", "timely"], ["best", "first_person", "timely"])
EVERYDAY_CONVERSATIONS = 12
FOREIGN = 40


def family(path):
    return os.path.basename(path).split("-")[0].split(".")[0]


def prepare(everyday, folder, paths):
    with open(everyday, encoding="utf-8") as file:
        prompts = file.read().split("\n")[:-1]
    for path in paths:
        with open(path, encoding="utf-8") as file:
            data = json.load(file)
        conversations = data["conversations"]
        asked = [list(conversation["questions"]) for conversation in conversations]
        for at, conversation in enumerate(conversations):
            moment = asked[at][0].get("asked_at")
            foreign = [dict(q, id=f"foreign-{q['id']}") for q in asked[(at + 1) % len(asked)][:FOREIGN] if q["evidence"]]
            general = [{"id": f"everyday-{i}", "q": q} for i, q in enumerate(prompts)] if at < EVERYDAY_CONVERSATIONS else []
            for question in foreign + general:
                conversation["questions"].append(dict(question, evidence=[], **({"asked_at": moment} if moment else {})))
        with open(os.path.join(folder, os.path.basename(path)), "w", encoding="utf-8") as file:
            json.dump(data, file, ensure_ascii=False)


class Asked:
    """A question with the values of its candidates."""

    def __init__(self, line, path, np):
        rows = line["candidates"]
        self.family, self.path, self.evidence = family(path), path, line["evidence"]
        self.signals = line["answered"]["signals"]
        self.everyday = line["question"].startswith("everyday-")
        value = lambda row, name: row["features"].get(name)
        self.x = np.array([[value(row, f) or 0.0 for f in RELEVANCE] for row in rows]).reshape(len(rows), len(RELEVANCE))
        self.applies = np.array([any(value(row, f) is not None for row in rows) for f in RELEVANCE])
        self.alone = np.array([value(row, "window") is None and value(row, "own") is not None for row in rows], bool)
        self.cost = np.array([[1.0 - (1.0 if value(row, f) is None else value(row, f)) for f in PRIORS] for row in rows])
        self.cost = self.cost.reshape(len(rows), len(PRIORS))
        self.is_evidence = np.array([row["evidence"] for row in rows], bool)
        self.first = 5 if self.family in FIRST_FIVE else 10

    def relevance(self, weights, np):
        """The weighted mean of what applies, and its derivative by the weights (up to the mean's own)."""
        inside = np.where(self.applies, weights, 0.0)
        surroundings = np.array([f in SURROUNDINGS for f in RELEVANCE])
        alone = self.alone[:, None] & surroundings[None, :]
        factor = 1 + ALONE_SHARE * (inside.sum() / max(np.where(surroundings, 0.0, inside).sum(), 1e-9) - 1)
        x = np.where(alone, 0.0, self.x) * np.where(self.alone, factor, 1.0)[:, None] * self.applies
        return x @ weights, x

    def ranked(self, parameters, np):
        relevance, _ = self.relevance(parameters[:len(RELEVANCE)], np)
        return np.argsort(-relevance * (1 - self.cost * parameters[len(RELEVANCE):]).prod(1), kind="stable")

    def recall(self, parameters, np):
        return self.is_evidence[self.ranked(parameters, np)[:self.first]].sum() / self.evidence


def read(paths, np):
    for path in paths:
        with open(path, encoding="utf-8") as file:
            for line in file:
                question = Asked(json.loads(line), path, np)
                if len(question.x):
                    yield question


def fit_weights(questions, np, minimize, start=None):
    usable = [q for q in questions if q.is_evidence.any()]
    whole = len(usable)
    size = len(RELEVANCE)

    def loss(parameters):
        weights, shares = parameters[:size], parameters[size:]
        total, gradient = 1e-5 * weights @ weights, np.r_[2e-5 * weights, np.zeros(len(PRIORS))]
        for q in usable:
            relevance, x = q.relevance(weights, np)
            left = 1 - q.cost * shares
            product = left.prod(1)
            scores = relevance * product
            slope = np.zeros(len(scores))
            for i in np.flatnonzero(q.is_evidence):
                above = 1 / (1 + np.exp(-np.clip(scores - scores[i], -30, 30)))
                rank = 0.5 + above.sum()
                gain = 1 / np.log2(1 + rank)
                among = 1 / (1 + np.exp((rank - q.first - 0.5) / 2))
                total -= (0.5 * gain + 0.5 * among) / q.evidence / whole
                by_rank = 0.5 * -gain * gain / (np.log(2) * (1 + rank)) + 0.5 * -among * (1 - among) / 2
                part = above * (1 - above) * by_rank
                slope += part
                slope[i] -= part.sum()
            slope *= -1 / q.evidence / whole
            gradient[:size] += (slope * product) @ x
            for at in range(len(PRIORS)):
                others = np.delete(left, at, 1).prod(1)
                gradient[size + at] -= (slope * relevance * others * q.cost[:, at]).sum()
        return total, gradient

    start = np.r_[np.full(size, 10.0), 0.4, 0.4] if start is None else start
    bounds = [(0, None)] * size + [(0, 0.9)] * len(PRIORS)
    return minimize(loss, start, jac=True, method="L-BFGS-B", bounds=bounds, options={"maxiter": 250}).x


def fit_head(questions, names, np, minimize):
    x = np.array([[float(q.signals.get(name) or 0) for name in names] for q in questions])
    answered = np.array([q.evidence > 0 for q in questions])
    groups = [(q.family, q.evidence > 0, q.everyday) for q in questions]
    sides = {side: len({g for g in groups if g[:2] == side}) for side in {g[:2] for g in groups}}
    weight = np.array([1 / groups.count(g) / sides[g[:2]] for g in groups])
    weight /= weight.sum()
    sign = np.where(answered, 1.0, -1.0)

    def loss(parameters):
        z = sign * (x @ parameters[:-1] + parameters[-1])
        slope = -sign * weight / (1 + np.exp(z))
        total = (weight * np.logaddexp(0, -z)).sum() + 1e-5 * parameters[:-1] @ parameters[:-1]
        return total, np.r_[x.T @ slope + 2e-5 * parameters[:-1], slope.sum()]

    return minimize(loss, np.zeros(len(names) + 1), jac=True, method="L-BFGS-B").x


def auc(scores, positive, np):
    order = np.empty(len(scores))
    order[np.argsort(scores)] = np.arange(1, len(scores) + 1)
    count = positive.sum()
    return (order[positive].sum() - count * (count + 1) / 2) / (count * (len(scores) - count))


def print_recall(name, questions, parameters, np):
    for path in dict.fromkeys(q.path for q in questions):
        share = np.mean([q.recall(parameters, np) for q in questions if q.path == path and q.evidence])
        print(f"  {name:9s} {os.path.basename(path):28s} {share:.4f}")


def fit(paths):
    import numpy as np
    from scipy.optimize import minimize
    questions = list(read(paths, np))
    families = list(dict.fromkeys(q.family for q in questions))
    parameters = fit_weights(questions, np, minimize)
    weights = parameters[:len(RELEVANCE)] / parameters[:len(RELEVANCE)].sum()
    print("weights of relevance (they sum to 1), shares of priors")
    for name, value in zip(RELEVANCE + PRIORS, np.r_[weights, parameters[len(RELEVANCE):]]):
        print(f"  {name:12s} {value:.3f}")
    print_recall("fitted", questions, parameters, np)
    for left_out in families:
        own = [q for q in questions if q.family == left_out]
        print_recall("left out", own, fit_weights([q for q in questions if q.family != left_out], np, minimize, parameters), np)
        print_recall("alone", own, fit_weights(own, np, minimize, parameters), np)
    for names in HEADS:
        head = fit_head(questions, names, np, minimize)
        print("head", ", ".join(f"{name} {value:.2f}" for name, value in zip(names + ["bias"], head)))
        for left_out in families:
            own = [q for q in questions if q.family == left_out]
            other = fit_head([q for q in questions if q.family != left_out], names, np, minimize)
            z = np.array([sum(float(q.signals.get(n) or 0) * w for n, w in zip(names, other)) for q in own])
            print(f"  left out  {left_out:12s} AUC {auc(z, np.array([q.evidence > 0 for q in own]), np):.3f}")


def main():
    arguments = sys.argv[1:]
    if len(arguments) > 3 and arguments[0] == "prepare":
        prepare(arguments[1], arguments[2], arguments[3:])
    elif len(arguments) > 1 and arguments[0] == "fit":
        fit(arguments[1:])
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
