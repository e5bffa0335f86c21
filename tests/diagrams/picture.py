"""An SVG read back: what is where, from the document alone."""

import re
from xml.etree import ElementTree as ET

SPACE = "{http://www.w3.org/2000/svg}"
_STEPS = 40


class Picture:
    """The boxes and ways of a drawn machine."""

    def __init__(self, svg):
        self.root = ET.fromstring(svg)  # noqa: S314 - drawn by the test
        self.view = tuple(map(float, self.root.get("viewBox").split()))
        self.texts = [(box(text), text) for text in self.root.iter(f"{SPACE}text")]
        self.nodes = dict(self._boxes("cg-node"))
        self.groups = dict(self._boxes("cg-group"))
        self.labels = [
            (name, around([box(text) for text in group.iter(f"{SPACE}text")]))
            for name, group in self.groups_of("cg-label")
        ]
        self.ways = [
            (name, points(group.find(f"{SPACE}path").get("d")))
            for name, group in self.groups_of("cg-edge")
        ]

    def groups_of(self, mark):
        for group in self.root.iter(f"{SPACE}g"):
            if group.get("class") == mark:
                yield group.get("data-name"), group

    def _boxes(self, mark):
        for name, group in self.groups_of(mark):
            shape = next(child for child in group if child.tag in (f"{SPACE}path", f"{SPACE}rect"))
            if shape.tag == f"{SPACE}rect":
                x, y, w, h = (float(shape.get(key)) for key in ("x", "y", "width", "height"))
                yield name, (x, y, x + w, y + h)
            else:
                yield name, bounds(points(shape.get("d")))


def box(text):
    """The box of a line of text: as wide as it says, as high as its letters."""
    x, y = float(text.get("x")), float(text.get("y"))
    wide, size = float(text.get("textLength")), float(text.get("font-size"))
    left = {"middle": x - wide / 2, "end": x - wide}.get(text.get("text-anchor"), x)
    return (left, y - 0.75 * size, left + wide, y + 0.2 * size)


def around(boxes):
    lefts, tops, rights, bottoms = zip(*boxes, strict=True)
    return (min(lefts), min(tops), max(rights), max(bottoms))


def bounds(line):
    return around([(x, y, x, y) for x, y in line])


def overlap(one, other):
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def passes(line, area):
    return any(area[0] < x < area[2] and area[1] < y < area[3] for x, y in line)


def points(d):
    """Points on a path, close to each other."""
    tokens = re.findall(r"[A-Za-z]|-?[\d.]+", d)
    found, at, command = [], 0, ""
    x = y = 0.0
    while at < len(tokens):
        if tokens[at].isalpha():
            command, at = tokens[at], at + 1
        if command in "Zz":
            continue
        count = {"M": 2, "L": 2, "C": 6, "h": 1, "v": 1, "a": 7}[command]
        numbers, at = [float(token) for token in tokens[at : at + count]], at + count
        if command == "C":
            controls = [(x, y), *zip(numbers[::2], numbers[1::2], strict=True)]
            found += [bezier(controls, step / _STEPS) for step in range(1, _STEPS + 1)]
            x, y = controls[-1]
            continue
        before = x, y
        if command in "ML":
            x, y = numbers
        else:
            x += numbers[0] if command == "h" else numbers[5] if command == "a" else 0
            y += numbers[0] if command == "v" else numbers[6] if command == "a" else 0
        if command == "L":
            found += [
                (before[0] + (x - before[0]) * s / 40, before[1] + (y - before[1]) * s / 40)
                for s in range(40)
            ]
        found.append((x, y))
    return found


def bezier(controls, t):
    weights = ((1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3)
    return tuple(sum(w * p[i] for w, p in zip(weights, controls, strict=True)) for i in (0, 1))
