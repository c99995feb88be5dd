#!/usr/bin/env python3
"""What a floor of scores costs and brings. Standard library only.

    floor.py foreign SET.json OUT.json             adds to each conversation up to 40 questions of the next one, which nothing there answers
    floor.py leave-out PROBE.json OUT.json         the facts of a set of facts with a question each, a quarter of them left out in turn
    annals eval recall OUT.json --candidates C.ndjson     what recall makes of it; also with --profile NAME --facts
    floor.py table C.ndjson TOP_K FLOOR...         for each floor: questions whose evidence stood among the first TOP_K and none of it does
                                                   any more, and questions without evidence to which nothing is shown, in percent

`chance` says how often a hit below the floor holds evidence, and how often a memory drawn at random does."""
import json, sys


def foreign(data):
    conversations = data["conversations"]
    for at, conversation in enumerate(conversations):
        other = conversations[(at + 1) % len(conversations)]["questions"][:40]
        asked_at = conversation["questions"][0].get("asked_at") or max(turn["time"] for turn in conversation["turns"])
        strange = [dict(q, id=f"x-{q['id']}", evidence=[], asked_at=asked_at) for q in other if q["evidence"]]
        yield dict(conversation, questions=conversation["questions"] + strange)


def leave_out(data):
    for language, question in (("en", "q_en"), ("zh", "q_zh")):
        for fold in range(4):
            items = list(enumerate(data["items"]))
            turns = [{"id": f"t{i}", "session": "s", "speaker": "user", "text": item[language],
                      "time": f"2025-01-{1 + i % 28:02d}T10:{i:02d}:00"} for i, item in items if i % 4 != fold]
            questions = [{"id": f"q{i}", "q": item[question], "asked_at": "2025-03-01T10:00:00",
                          "evidence": [f"t{i}"] if i % 4 != fold else []} for i, item in items]
            yield {"id": f"{language}{fold}", "turns": sorted(turns, key=lambda turn: turn["time"]), "questions": questions}


def table(lines, top_k, floors):
    asked = [(line["evidence"], line["candidates"][:top_k]) for line in lines]
    found = [max(c["score"] for c in hits if c["evidence"]) for wanted, hits in asked if any(c["evidence"] for c in hits)]
    empty = [max((c["score"] for c in hits), default=0.0) for wanted, hits in asked if not wanted]
    print(f"{len(found)} questions with evidence among the first {top_k}, {len(empty)} without any")
    for floor in floors:
        share = lambda scores: 100 * sum(score < floor for score in scores) / max(1, len(scores))
        below = [(c["evidence"], wanted / max(1, len(line["candidates"]))) for line, (wanted, hits) in zip(lines, asked)
                 if wanted for c in hits if c["score"] < floor]
        mean = lambda at: 100 * sum(pair[at] for pair in below) / max(1, len(below))
        print(f"floor {floor:.4f}  lost {share(found):5.1f}  refused {share(empty):5.1f}  chance {mean(0):.1f} against {mean(1):.1f}")


def main():
    match sys.argv[1:]:
        case ["foreign" | "leave-out" as how, source, out]:
            data = json.load(open(source))
            made = foreign(data) if how == "foreign" else leave_out(data)
            json.dump({"name": data["name"], "licence": data["licence"], "conversations": list(made)}, open(out, "w"), ensure_ascii=False)
        case ["table", candidates, top_k, *floors] if floors:
            table([json.loads(line) for line in open(candidates)], int(top_k), [float(floor) for floor in floors])
        case _:
            sys.exit(__doc__)


main()
