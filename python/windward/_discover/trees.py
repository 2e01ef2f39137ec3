"""Laws whose target is any formula: typed trees, bred and pruned.

A tree gives T in packets of a law W ← W + κ·(T − W) once a window of ACKs. Its nodes are packets or ratios, so that no
second is added to a packet. Numbers beside the tree are κ, the share of the flight that a loss leaves, and the packets
in queues at which slow start ends. Selection is NSGA-II's, on cost and size: of two laws that are equally good the
smaller one lives.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from windward._discover.contract import Gene
from windward._search.samplers import crowding, fronts

#: Kinds of values: packets and ratios.
PACKETS, RATIO = "packets", "ratio"

#: Quantities, and operations with the kinds that they take; by the kind that they give.
QUANTITIES = {
    PACKETS: ("w", "w * share", "w * (1 - share)", "rate * base"),
    RATIO: ("share", "base / least", "lost", "1 / w"),
}
OPERATIONS = {
    PACKETS: (
        ("+", PACKETS, PACKETS),
        ("-", PACKETS, PACKETS),
        ("*", PACKETS, RATIO),
        ("/", PACKETS, RATIO),
        ("min", PACKETS, PACKETS),
        ("max", PACKETS, PACKETS),
    ),
    RATIO: (
        ("+", RATIO, RATIO),
        ("-", RATIO, RATIO),
        ("*", RATIO, RATIO),
        ("/", RATIO, RATIO),
        ("/", PACKETS, PACKETS),
        ("min", RATIO, RATIO),
        ("max", RATIO, RATIO),
        ("sqrt", RATIO),
        ("log2", RATIO),
        ("exp2", RATIO),
    ),
}

#: Most nodes of a tree.
MOST_NODES = 12

#: Numbers beside a tree.
NUMBERS = (
    Gene(name="kappa", least=0.02, most=2.0),
    Gene(name="left", least=0.3, most=0.95),
    Gene(name="exit", least=2.0, most=300.0),
    Gene(name="average", least=8.0, most=512.0),
)

#: Ranges of constants in a tree.
_CONSTANTS = {PACKETS: Gene(name="packets", least=0.5, most=200.0), RATIO: Gene(name="ratio", least=0.01, most=10.0)}


@dataclass(frozen=True)
class Node:
    """A part of a formula: a quantity, a constant, or an operation on others."""

    kind: str
    #: The quantity or the operation; none for a constant.
    name: str = ""
    value: float = 0.0
    parts: tuple[Node, ...] = ()

    def __str__(self) -> str:
        parts = [str(part) for part in self.parts]
        if not self.name:
            return f"{self.value:g}"
        if not parts:
            return self.name
        if self.name == "exp2":
            return f"2 ^ ({parts[0]})"
        if self.name in ("min", "max", "sqrt", "log2"):
            return f"{self.name}({', '.join(parts)})"
        return " ".join((_bracketed(parts[0], self.parts[0]), self.name, _bracketed(parts[1], self.parts[1])))

    @property
    def size(self) -> int:
        """Number of nodes."""
        return 1 + sum(part.size for part in self.parts)

    def places(self) -> Iterator[tuple[tuple[int, ...], Node]]:
        """All nodes with their ways from this one."""
        yield (), self
        for at, part in enumerate(self.parts):
            yield from (((at, *way), node) for way, node in part.places())

    def put(self, way: tuple[int, ...], other: Node) -> Node:
        """The formula with another node in a place."""
        if not way:
            return other
        parts = [part.put(way[1:], other) if at == way[0] else part for at, part in enumerate(self.parts)]
        return Node(self.kind, self.name, self.value, tuple(parts))


def _bracketed(text: str, node: Node) -> str:
    """The text of an operand. A quantity of several letters may be an expression itself."""
    is_plain = not node.parts and (not node.name or node.name.isidentifier())
    return text if is_plain or node.name in ("min", "max", "sqrt", "log2") else f"({text})"


def quantity(name: str) -> Node:
    """A quantity by its text."""
    kind = next(kind for kind, names in QUANTITIES.items() if name in names)
    return Node(kind, name)


def packets(value: float) -> Node:
    """A constant number of packets."""
    return Node(PACKETS, "", value)


def operation(name: str, *parts: Node) -> Node:
    """An operation on parts, of the kind that it gives."""
    kinds = tuple(part.kind for part in parts)
    kind = next(kind for kind, known in OPERATIONS.items() if (name, *kinds) in known)
    return Node(kind, name, 0.0, parts)


@dataclass(frozen=True)
class Plant:
    """A law: a tree, and the numbers beside it."""

    tree: Node
    numbers: tuple[float, ...]

    def law(self) -> dict[str, Any]:
        """The law as a scenario has it."""
        kappa, left, exit_, average = self.numbers
        return {
            "name": "formula",
            "step": f"target = {self.tree}; acked * clamp(kappa * (target - w) / w, -0.5, 1)",
            "loss": "left * flight",
            "start": "",
            "exit": exit_,
            "average": average,
            "constants": {"kappa": kappa, "left": left},
        }


_SHARE = operation("*", quantity("w"), quantity("share"))

#: Trees that the search knows: QUIC-TCP's with three backlogs, one packet more a round trip (Reno), Vegas's bound.
STARTS = (
    Plant(operation("+", quantity("w * share"), packets(20.0)), (0.5, 0.5, 20.0, 256.0)),
    Plant(operation("+", quantity("w * share"), packets(5.0)), (0.5, 0.5, 5.0, 256.0)),
    Plant(operation("+", quantity("w * share"), packets(60.0)), (0.5, 0.5, 60.0, 256.0)),
    Plant(operation("+", quantity("w"), packets(2.0)), (0.5, 0.5, 100.0, 256.0)),
    Plant(operation("+", _SHARE, packets(10.0)), (0.2, 0.7, 20.0, 64.0)),
)


class Trees:
    """Family of trees."""

    name = "tree"

    #: Laws of a generation, and the share of new ones in it.
    SIZE, NEW = 24, 0.15

    def __init__(self, seed: int, starts: Sequence[Plant] = STARTS, size: int = SIZE) -> None:
        self._chance = random.Random(seed)  # noqa: S311
        self._size = size
        self.starts = len(starts)
        fresh = [self._new() for _ in range(max(0, 2 * size - len(starts)))]
        self._asked: list[Plant] = [*starts, *fresh]
        self._parents: list[tuple[Plant, tuple[float, float], float]] = []
        self._order: list[tuple[int, float]] = []

    @property
    def plants(self) -> list[Plant]:
        """The laws that were asked for last."""
        return self._asked

    def ask(self) -> list[dict[str, Any]]:
        """The laws of the next generation; in the first the known ones come first."""
        if self._parents:
            new = math.ceil(self.NEW * self._size)
            children = [self._child() for _ in range(self._size - new)]
            self._asked = [*children, *(self._new() for _ in range(new))]
        return [plant.law() for plant in self._asked]

    def tell(self, costs: Sequence[float], violations: Sequence[float]) -> None:
        """Keeps the best fronts of parents and children, of the last one those that stand apart."""
        told = [
            (plant, (cost, float(plant.tree.size)), violation)
            for plant, cost, violation in zip(self._asked, costs, violations, strict=True)
        ]
        everybody: dict[Plant, tuple[Plant, tuple[float, float], float]] = {}
        for own in (*self._parents, *told):
            everybody.setdefault(own[0], own)
        rows = list(everybody.values())
        ranked: list[tuple[int, float, int]] = []
        for rank, front in enumerate(fronts([(own, violation) for _, own, violation in rows])):
            spread = crowding([rows[at][1] for at in front])
            ranked += [(rank, -apart, at) for at, apart in zip(front, spread, strict=True)]
        ranked.sort()
        # The best by cost alone always lives, however many small ones there are.
        best = min(range(len(rows)), key=lambda at: (rows[at][2], rows[at][1]))
        kept = list(dict.fromkeys([best, *(at for *_, at in ranked)]))[: self._size]
        place = {at: (rank, apart) for rank, apart, at in ranked}
        self._parents = [rows[at] for at in kept]
        self._order = [(0, -math.inf) if at == best else place[at] for at in kept]

    def _pick(self, choices: Sequence[Any]) -> Any:
        return choices[int(self._chance.random() * len(choices))]

    def _winner(self) -> Plant:
        one, other = (int(self._chance.random() * len(self._parents)) for _ in range(2))
        return self._parents[min(one, other, key=lambda at: (self._order[at], at))][0]

    def _new(self) -> Plant:
        numbers = tuple(own.at(self._chance.random()) for own in NUMBERS)
        tree = self._grown(PACKETS, 3)
        while tree.size > MOST_NODES:
            tree = self._grown(PACKETS, 3)
        return Plant(tree, numbers)

    def _grown(self, kind: str, depth: int) -> Node:
        draw = self._chance.random()
        if depth == 0 or draw < 0.3:
            return self._leaf(kind)
        name, *kinds = self._pick(OPERATIONS[kind])
        return Node(kind, name, 0.0, tuple(self._grown(each, depth - 1) for each in kinds))

    def _leaf(self, kind: str) -> Node:
        if self._chance.random() < 0.4:
            return Node(kind, "", _CONSTANTS[kind].at(self._chance.random()))
        return Node(kind, self._pick(QUANTITIES[kind]))

    def _child(self) -> Plant:
        one = self._winner()
        draw = self._chance.random()
        tree, numbers = one.tree, one.numbers
        if draw < 0.35:
            tree = self._crossed(tree, self._winner().tree)
        elif draw < 0.6:
            way, node = self._pick(list(tree.places()))
            tree = tree.put(way, self._grown(node.kind, 2))
        elif draw < 0.7:
            # A part takes the place of the whole above it.
            inner = [(way, node) for way, node in tree.places() if way]
            if inner:
                way, node = self._pick(inner)
                above = [(up, own) for up, own in tree.places() if up == way[: len(up)] and own.kind == node.kind]
                tree = tree.put(self._pick(above)[0], node)
        else:
            tree = self._moved(tree)
            numbers = tuple(
                own.at(own.share(value) + 0.1 * self._normal()) if self._chance.random() < 0.5 else value
                for own, value in zip(NUMBERS, numbers, strict=True)
            )
        return Plant(tree if tree.size <= MOST_NODES else one.tree, numbers)

    def _crossed(self, tree: Node, other: Node) -> Node:
        way, node = self._pick(list(tree.places()))
        given = [part for _, part in other.places() if part.kind == node.kind]
        return tree.put(way, self._pick(given)) if given else tree

    def _moved(self, tree: Node) -> Node:
        """The tree with its constants moved a little."""
        for way, node in list(tree.places()):
            if not node.name:
                scale = _CONSTANTS[node.kind]
                moved = float(f"{node.value * math.exp(0.25 * self._normal()):.3g}")
                tree = tree.put(way, Node(node.kind, "", min(max(moved, scale.least), scale.most)))
        return tree

    def _normal(self) -> float:
        # A sum of twelve uniform numbers: nearly normal, and the same on every machine.
        return sum(self._chance.random() for _ in range(12)) - 6.0
