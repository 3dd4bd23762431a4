"""What every comparison of bench/ shows: a table of medians with a ratio, its aims, and a report for test runners."""

import dataclasses
import statistics
import xml.etree.ElementTree as ElementTree


@dataclasses.dataclass
class Row:
    """A line of the table."""

    title: str
    figure: str  # its name in a turn
    digits: int


@dataclasses.dataclass
class Aim:
    name: str
    reached: str
    share: float  # how many times as much as the aim allows
    slack: float = 1  # how many times as much fails a test

    def met(self):
        return self.share <= 1

    def case(self):
        """For write_junit()."""
        return self.name, "" if self.share <= self.slack else f"{self.reached}, {self.share:.2f} times what it may be"


def medians(turns):
    """Of the figures of one program's turns; what is no number has none."""
    return {figure: statistics.median(turn[figure] for turn in turns) for figure, value in turns[0].items() if isinstance(value, (int, float))}


def cell(values, digits):
    """The median, and where there are several turns the least and the most."""
    spread = f" ({min(values):,.{digits}f} to {max(values):,.{digits}f})" if len(values) > 1 else ""
    return f"{statistics.median(values):,.{digits}f}{spread}"


def ratio(values):
    """The first program's median as a part of the second's; empty where there is none."""
    if len(values) < 2:
        return ""
    ours, theirs = (statistics.median(turns) for turns in values[:2])
    return f"{ours / theirs:.2f}" if theirs else ""


def table(turns, rows):
    """turns: name of a program → its turns, ours first. Returns the lines."""
    several = any(len(each) > 1 for each in turns.values())
    lines = [["median of the turns (least to most)" if several else "", *turns, "ratio" if len(turns) > 1 else ""]]
    for row in rows:
        values = [[turn[row.figure] for turn in each] for each in turns.values()]
        lines.append([row.title, *(cell(each, row.digits) for each in values), ratio(values)])
    widths = [max(len(line[i]) for line in lines) + 2 for i in range(len(lines[0]))]
    return [(line[0].ljust(widths[0]) + "".join(text.rjust(width) for text, width in zip(line[1:], widths[1:]))).rstrip() for line in lines]


def print_report(turns, rows, aims):
    print("\n".join(table(turns, rows)))
    for aim in aims:
        print(f"{'aim met:    ' if aim.met() else 'aim missed: '}{aim.name}: {aim.reached}")


def write_junit(path, name, cases):
    """cases: name, what is wrong with it or an empty text."""
    suite = ElementTree.Element("testsuite", name="bench", tests=str(len(cases)))
    for title, wrong in cases:
        case = ElementTree.SubElement(suite, "testcase", classname=f"bench.{name}", name=title)
        if wrong:
            ElementTree.SubElement(case, "failure", message=wrong)
    ElementTree.ElementTree(suite).write(path)
