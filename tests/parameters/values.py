"""The parameters as they are compiled in, and values for them: right, nearly right and hostile."""

import pathlib
import random
import re

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "shared/schema/rules/parameters"
ROW = re.compile(
    r'\{"(?P<name>[^"]*)", (?P<kind>\w+), "(?P<unit>\w*)", (?P<least>[-+.\w]+), (?P<most>[-+.\w]+), (?P<context>\w+), '
    r'"(?P<default>(?:[^"\\]|\\.)*)", "(?P<values>[^"]*)", "(?P<hidden>[^"]*)", (?P<flags>.*)\},')

BOOLEANS = ("on", "ON", "off", "of", "o", "t", "tr", "tru", "true", "truee", "y", "ye", "Yes", "yess", "f", "fal", "FALSE", "n", "no",
            "nope", "1", "0", "00", "2", "", " on", "on ", "1.0", "enabled")
NUMBERS = ("", " ", "0", "-0", "+1", "-1", "1", "00012", "010", "08", "0x10", "0X1F", "0b11", "1.5", ".5", "5.", "1e2", "1E+2", "1e", "1e400",
           "2147483647", "2147483648", "99999999999999999999", "-2147483649", "nan", "inf", "-inf", " 7", "7 ", "\t7", "7x", "x7", "1,000",
           "1_000", "1 000", "0x", "--1", "+-1", "1e-400", "0x1p4")
UNITS = ("B", "kB", "MB", "GB", "TB", "us", "ms", "s", "min", "h", "d", "b", "KB", "kb", "mb", "M", "G", "Ki", "sec", "m", "minutes", "D", "kBs")
MEMORY = ("B", "kB", "MB", "GB", "TB")
TIME = ("us", "ms", "s", "min", "h", "d")
WORDS = ("on", "off", "true", "no", "none", "minimal", "replica", "hot_standby", "Debug", "info", "auto", "", "scram-sha-256", "md5", "read committed",
         "READ COMMITTED", "read  committed")


def table(major):
    rows = [ROW.fullmatch(line) for line in (FOLDER / f"postgresql_{major}.inc").read_text().splitlines()[1:]]
    assert all(rows)
    return [row.groupdict() for row in rows]


def numbers(row, random_source):
    least, most, unit = float(row["least"]), float(row["most"]), row["unit"]
    for bound in (least, most):
        for step in (-1, -0.6, -0.4, 0, 0.4, 0.6, 1):
            yield f"{bound + step:.16g}"
    for _ in range(4):
        yield f"{random_source.uniform(max(least, -1e6), min(most, 1e6)):.{random_source.randrange(4)}f}"
    yield from random_source.sample(NUMBERS, 12)
    for other in random_source.sample(UNITS, 10) + ([unit.removeprefix("8")] if unit else []):
        amount = random_source.choice(("0", "1", "1.5", "0.3", "30.1", "7", "4097.5", "1e3", "0x10", "-1", "100000"))
        yield amount + random_source.choice(("", "", " ", "  ")) + other + random_source.choice(("", "", " "))
    if unit:  # PostgreSQL rounds a fraction to whole ones of the next smaller unit
        for other in MEMORY if unit.endswith("B") else TIME:
            yield f"{random_source.uniform(0, 40):.{random_source.randrange(1, 6)}f}{other}"


def words(row, random_source):
    known = [word for word in (row["values"] + "," + row["hidden"]).split(",") if word]
    for word in known:
        yield word
        yield word.upper()
        yield word[:-1]
        yield word + " "
    yield from random_source.sample(WORDS, 6)


def values_for(row, random_source):
    match row["kind"]:
        case "kBool": return list(BOOLEANS)
        case "kInteger" | "kReal": return list(dict.fromkeys(numbers(row, random_source)))
        case "kEnum": return list(dict.fromkeys(words(row, random_source)))
    return ["", "a", "it's", "a\\b", "\"q\"", "ü", "x" * 70]


def pairs(major, seed):
    source = random.Random(seed)
    return [(row, value) for row in table(major) for value in values_for(row, source)]
