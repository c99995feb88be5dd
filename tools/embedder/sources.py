"""What is read from each source: one function a source, and SOURCES, the list of them.

A function gets the folder of the checkouts, where OWNER/NAME is a checkout of that repository, and
a collector (see texts.py). Which files are read is part of the recipe: of most sources the smaller
parts alone, validation and test.
"""
import csv
import io
import json
import pathlib
import re
import zipfile

from folders import HAN

SENTENCE_END = re.compile(r"(?<=[.!?]) +|(?<=[。！？])")


def list_files(folder, pattern):
    """Files below a folder whose path in it matches, in the order of their paths."""
    paths = (p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file())
    return [folder / path for path in sorted(paths) if re.search(pattern, path)]


def read_text(path):
    return path.read_text(encoding="utf-8", errors="replace")


def read_json(path):
    return json.loads(path.read_bytes())


def read_taskmaster(checkouts, collector):
    folder = checkouts / "google-research-datasets/Taskmaster"
    for path in list_files(folder, r"TM-4-2024/data/data_.*json"):
        for talk in read_json(path):
            turns = [turn["text"] for turn in talk.get("utterances", []) if turn.get("text")]
            collector.add_dialogue("taskmaster4", turns)
    for path in list_files(folder, r"TM-3-2020/splits/.*tsv"):
        for line in read_text(path).splitlines():
            for turn in re.findall(r"<[UA]>([^<\t]+)", line):
                collector.add_text("taskmaster3", turn)


def read_persona_chat(checkouts, collector):
    folder = checkouts / "google-research-datasets/Synthetic-Persona-Chat"
    csv.field_size_limit(1 << 24)
    for path in list_files(folder, r"data/.*(valid|test).*csv"):
        for row in csv.DictReader(io.StringIO(read_text(path))):
            for name, value in row.items():
                if not name or not value:
                    continue
                lines = [re.sub(r"^User ?\d: *", "", line).strip() for line in value.splitlines()]
                if "ersona" in name:
                    for line in lines:
                        collector.add_text("spc", line)
                    collector.add_text("spc", " ".join(lines), "p")
                else:
                    collector.add_dialogue("spc", [line for line in lines if line])


def read_crosswoz(checkouts, collector):
    folder = checkouts / "thu-coai/CrossWOZ"
    for path in list_files(folder, r"data/crosswoz/(val|test)\.json\.zip"):
        with zipfile.ZipFile(path) as archive:
            talks = json.loads(archive.read(archive.namelist()[0]))
        for talk in talks.values():
            collector.add_dialogue("crosswoz", [turn["content"] for turn in talk["messages"]])
    databases = r"data/crosswoz/database/(restaurant|hotel|attraction)_db\.json"
    for path in list_files(folder, databases):
        for name, row in read_json(path):
            collector.add_text("crosswoz", name)
            parts = [f"{key}：{'、'.join(map(str, v)) if isinstance(v, list) else v}"
                     for key, v in row.items() if v and v != "null"]
            collector.rng.shuffle(parts)
            chosen = parts[:collector.rng.randint(1, 5)]
            collector.add_text("crosswoz", f"{name}，" + "，".join(chosen), "p")


def read_kdconv(checkouts, collector):
    folder = checkouts / "thu-coai/KdConv"
    for path in list_files(folder, r"data/.*/(dev|test)\.json"):
        for talk in read_json(path):
            collector.add_dialogue("kdconv", [turn["message"] for turn in talk["messages"]])
            for known in (known for turn in talk["messages"] for known in turn.get("attrs", [])):
                name, key, value = known["name"], known["attrname"], known["attrvalue"]
                collector.add_text("kdconv", f"{name}的{key}：{value}")
                collector.add_text("kdconv", value)
    for path in list_files(folder, r"data/.*/kb_.*\.json"):
        for triples in read_json(path).values():
            for name, key, value in triples:
                text = f"{name}的{key}是{value}" if len(value) < 30 else value
                collector.add_text("kdconv", text)


def read_cdial(checkouts, collector):
    folder = checkouts / "thu-coai/CDial-GPT/data"
    for talks in read_json(folder / "toy_data.json").values():
        for turns in talks:
            collector.add_dialogue("lccc-toy", [turn.replace(" ", "") for turn in turns])
    for line in read_text(folder / "toy_train.txt").splitlines():
        for turn in line.split("\t"):
            collector.add_text("lccc-toy", turn.replace(" ", ""))


def read_tencent(checkouts, collector):
    path = checkouts / "502ping/RetrievalBased_Chatbot/data_Q.txt"
    for line in read_text(path).splitlines():
        collector.add_text("tencent", line.lstrip("\ufeff"))


def read_tatoeba(checkouts, collector):
    path = checkouts / "sunlanchang/Seq2Seq-for-NMT/data/cmn.txt"
    for line in read_text(path).splitlines():
        english, chinese = line.split("\t")[:2]
        collector.add_pair("tatoeba", english, chinese)


def read_xpersona(checkouts, collector):
    folder = checkouts / "HLTCHKUST/Xpersona/dataset"
    for part in ("test", "valid"):
        english = read_json(folder / f"En_persona_{part}.json")
        chinese = read_json(folder / f"Zh_persona_split_{part}_human_annotated.json")
        for talk in chinese + english:
            for line in talk["persona"]:
                collector.add_text("xpersona", line, "p")
            collector.add_dialogue("xpersona", [t for both in talk["dialogue"] for t in both])
        for en, zh in zip(english, chinese):
            if any(len(en[key]) != len(zh[key]) for key in ("persona", "dialogue")):
                continue
            for left, right in zip(en["persona"], zh["persona"]):
                collector.add_pair("xpersona", left, right)
            for left, right in zip(en["dialogue"], zh["dialogue"]):
                if len(left) == len(right):
                    for x, y in zip(left, right):
                        collector.add_pair("xpersona", x, y)


def split_markdown(text, clean):
    """Paragraphs of a page without code, tags, links and marks."""
    text = re.sub(r"^---.*?^---", "", text, flags=re.S | re.M)
    text = re.sub(r"```.*?```", "", text, flags=re.S)
    text = re.sub(r"<[^>]+>", " ", text)
    text = re.sub(r"\{/?\*?.*?\*?/?\}", " ", text)
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", text)
    marks = r"^[\s>#*\-\d.|:]+|[*_`]|\{#.*?\}"
    parts = (clean(re.sub(marks, "", p.strip())) for p in re.split(r"\n\s*\n", text))
    return [part for part in parts if len(part) > 1]


def read_documentation(source, english, chinese, collector):
    """Pages of the same name in two folders; paragraph by paragraph where their numbers agree."""
    for path in list_files(english, r"\.md$"):
        ours = split_markdown(read_text(path), collector.clean_text)
        other = chinese / path.relative_to(english)
        theirs = split_markdown(read_text(other), collector.clean_text) if other.is_file() else []
        for paragraph in ours + theirs:
            if len(paragraph) < 900:
                collector.add_text(source, paragraph)
            for sentence in SENTENCE_END.split(paragraph):
                if 8 < len(sentence) < 400:
                    collector.add_text(source, sentence)
        if len(ours) == len(theirs):
            for left, right in zip(ours, theirs):
                if HAN.search(right) and 0.15 < len(right) / len(left) < 1.2:
                    collector.add_pair(source, left, right)


def read_react(checkouts, collector):
    pages = "src/content"
    read_documentation("react-docs", checkouts / "reactjs/react.dev" / pages,
                       checkouts / "reactjs/zh-hans.react.dev" / pages, collector)


def read_vue(checkouts, collector):
    read_documentation("vue-docs", checkouts / "vuejs/docs/src",
                       checkouts / "vuejs-translations/docs-zh-cn/src", collector)


def read_tldr(checkouts, collector):
    folder = checkouts / "tldr-pages/tldr"
    chinese = folder / "pages.zh"

    def list_lines(path):
        lines = read_text(path).splitlines() if path.is_file() else []
        return [collector.clean_text(line[2:]).rstrip(":：.。") for line in lines
                if line[:2] in ("- ", "> ") and "<http" not in line]

    for path in list_files(chinese, r"\.md$"):
        ours, theirs = list_lines(folder / "pages" / path.relative_to(chinese)), list_lines(path)
        if len(ours) == len(theirs):
            for left, right in zip(ours, theirs):
                collector.add_pair("tldr", left, right)


CLDR_FILES = (
    "cldr-annotations-full/annotations/{0}/annotations.json",
    "cldr-localenames-full/main/{0}/territories.json",
    "cldr-localenames-full/main/{0}/languages.json",
    "cldr-dates-full/main/{0}/timeZoneNames.json",
    "cldr-subdivisions-full/subdivisions/{0}/{0}.json",
    "cldr-numbers-full/main/{0}/currencies.json",
)


def list_leaves(tree, path=()):
    """(path, text) of each leaf of a JSON value; a list is one text."""
    if isinstance(tree, dict):
        for key, value in tree.items():
            yield from list_leaves(value, path + (key,))
    else:
        yield path, " ".join(map(str, tree)) if isinstance(tree, list) else str(tree)


def read_cldr(checkouts, collector):
    for form in CLDR_FILES:
        names = []
        for language in ("en", "zh"):
            path = checkouts / "unicode-org/cldr-json/cldr-json" / form.format(language)
            tree = read_json(path) if path.is_file() else {}
            names.append({keys[-4:]: text for keys, text in list_leaves(tree)
                          if not {"version", "language"} & set(keys[:4])})
        for keys, english in names[0].items():
            chinese = names[1].get(keys)
            if chinese and english != chinese and "{" not in english and len(english) < 120:
                collector.add_pair("cldr", english.replace("|", ","), chinese.replace("|", "，"))


def read_wordnet(folder, collector):
    """Glosses, examples and words of WordNet's data files."""
    for part in ("noun", "verb", "adj", "adv"):
        for line in read_text(pathlib.Path(folder) / f"data.{part}").splitlines():
            if line.startswith("  ") or "|" not in line:
                continue
            head, gloss = line.split("|", 1)
            fields = head.split()
            words = [fields[4 + 2 * i].replace("_", " ") for i in range(int(fields[3], 16))]
            words = [re.sub(r"\(.*\)", "", word) for word in words]
            meaning, *examples = re.split(r'; (?=")', gloss.strip())
            meaning = meaning.strip().strip('"')
            if collector.rng.random() < 0.5:
                collector.add_text("wordnet", meaning, "p")
            if collector.rng.random() < 0.5:
                collector.add_text("wordnet", f"{words[0]}: {meaning}", "p")
            if collector.rng.random() < 0.6:
                collector.add_text("wordnet", ", ".join(words[:3]), "p")
            for example in examples:
                collector.add_text("wordnet", example.strip().strip('"'))


# Each: what has to be there, and the function that reads it.
SOURCES = [
    (("google-research-datasets/Taskmaster",), read_taskmaster),
    (("google-research-datasets/Synthetic-Persona-Chat",), read_persona_chat),
    (("thu-coai/CrossWOZ",), read_crosswoz),
    (("thu-coai/KdConv",), read_kdconv),
    (("thu-coai/CDial-GPT",), read_cdial),
    (("502ping/RetrievalBased_Chatbot",), read_tencent),
    (("sunlanchang/Seq2Seq-for-NMT",), read_tatoeba),
    (("HLTCHKUST/Xpersona",), read_xpersona),
    (("reactjs/react.dev", "reactjs/zh-hans.react.dev"), read_react),
    (("vuejs/docs", "vuejs-translations/docs-zh-cn"), read_vue),
    (("tldr-pages/tldr",), read_tldr),
    (("unicode-org/cldr-json",), read_cldr),
]
