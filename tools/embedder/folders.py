"""Files that several of the scripts read: texts, and what is known of a text at sight."""
import lzma
import pathlib
import re

HAN = re.compile("[一-鿿]")
LETTER = re.compile("[A-Za-z]")


def tell_language(text):
    """"zh" where Han characters are more than a third of the letters, else "en"."""
    return "zh" if len(HAN.findall(text)) * 3 > len(LETTER.findall(text)) else "en"


def read_rows(path, columns):
    """Lines of a .tsv.xz file that have so many columns."""
    with lzma.open(path, "rt", encoding="utf-8") as file:
        rows = [tuple(line.split("\t")) for line in file.read().split("\n")]
    return [row for row in rows if len(row) == columns]


def write_rows(path, rows):
    """Writes rows as lines of a .tsv.xz file."""
    with lzma.open(path, "wb", preset=7) as file:
        file.write("\n".join("\t".join(row) for row in rows).encode("utf-8"))


def read_mono(folder):
    """Texts alone: (language, kind, text); kind q is a question or request, p a statement."""
    return read_rows(pathlib.Path(folder) / "mono.tsv.xz", 3)


def read_pairs(folder):
    """Translations: (source, English, Chinese)."""
    return read_rows(pathlib.Path(folder) / "pairs.tsv.xz", 3)


def read_asked(folder):
    """Facts with questions that they answer: (source, fact, question)."""
    return read_rows(pathlib.Path(folder) / "asked.tsv.xz", 3)


def read_segmented(folder):
    """Chinese texts cut into words: (kind, words); a word and its class are joined by \\x02, words
    by \\x01."""
    return read_rows(pathlib.Path(folder) / "seg_zh.txt.xz", 2)


def find_jieba_words():
    """jieba's dictionary: [(word, frequency, class)], as the installed package has it."""
    import importlib.util
    folder = pathlib.Path(importlib.util.find_spec("jieba").origin).parent
    lines = (folder / "dict.txt").read_text(encoding="utf-8").splitlines()
    return [(word, int(count), kind) for word, count, kind in map(str.split, lines)]
