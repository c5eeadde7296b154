#!/usr/bin/python3
"""Draws the examples that are invented: orders.csv, letters.csv and shapes.csv, in examples/data. Same bytes every time.

    examples/make_data.py [FOLDER]
"""
import csv
import datetime
import math
import os
import random
import sys

HERE = os.path.dirname(os.path.abspath(__file__))


def write(folder, name, header, rows):
    with open(os.path.join(folder, name), "w", newline="") as out:
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)


def some(labels, each):
    """The first `each` labels of a class; the others empty."""
    seen = {}
    return [label if seen.setdefault(label, []).append(1) or len(seen[label]) <= each else "" for label in labels]


def orders(folder, n=500, each=12):
    """Orders of a shop, from companies and from people. Companies order at ten and at four, people before work, at noon and in
    the evening; sums have long tails, a few are a hundred times what is usual; half of the columns are no measurements."""
    draw = random.Random(14)
    rows, truth = [], []
    for i in range(n):
        company = draw.random() < 0.45
        peak = draw.choice([10.0, 16.0] if company else [7.2, 13.0, 20.5])
        hour = min(23.9, max(0.0, draw.gauss(peak, 1.0)))
        total = math.exp(draw.gauss(5.2 if company else 3.9, 1.0)) * (100 if draw.random() < 0.03 else 1)
        items = 1 + min(40, int(draw.expovariate(0.12 if company else 0.5)))
        payment = draw.choice(["invoice", "invoice", "card"] if company else ["card", "card", "wallet", "invoice"])
        express = int(draw.random() < (0.5 if company else 0.3))
        day = datetime.datetime(2024, 1, 1) + datetime.timedelta(days=draw.randrange(180), hours=hour)
        truth.append("company" if company else "person")
        rows.append([f"o{1000 + 7 * i}", day.strftime("%Y-%m-%d %H:%M"), f"{total:.2f}", items, payment, express])
    header = ["order", "when", "total", "items", "payment", "express", "customer", "truth"]
    write(folder, "orders.csv", header, [[*row, known, true] for row, known, true in zip(rows, some(truth, each), truth)])


OPENINGS = ["Dear team,", "Hello,", "Hi there,", "To whom it may concern,", "Good morning,"]
MIDDLES = {
    "invoice": ["the invoice for {month} shows {item} twice", "I was charged for {item} although I canceled in {month}",
                "please send the bill for {item} again, the amount is wrong", "my card was debited two times in {month}",
                "the refund for {item} has not arrived on my account"],
    "delivery": ["the parcel with {item} has not arrived", "the courier left {item} in the rain", "tracking says {month} but "
                 "nobody rang the bell", "the box with {item} was open and dented", "you shipped {item} to my old address"],
    "repair": ["{item} stopped working after a week", "the screen of {item} stays black", "{item} makes a loud noise when it starts",
               "a part of {item} broke off in {month}", "the battery of {item} does not hold a charge"]}
CLOSINGS = ["Please let me know what to do.", "I would be glad to hear from you.", "What can be done about it?", "Thanks in advance.",
            "This is the second time I write."]
ITEMS = ["the lamp", "my kettle", "the headphones", "a printer", "the vacuum cleaner", "our coffee machine", "the tablet"]
MONTHS = ["January", "March", "April", "June", "August", "October"]


def letters(folder, n=300, each=8):
    """Letters to a shop in three classes, made of a few sentences; one in six has a sentence of another class as well."""
    draw = random.Random(12)
    rows, truth = [], []
    for i in range(n):
        kind = draw.choice(sorted(MIDDLES))
        said = [draw.choice(OPENINGS), draw.choice(MIDDLES[kind]), draw.choice(MIDDLES[kind]), draw.choice(CLOSINGS)]
        if draw.random() < 1 / 6:
            said.insert(2, draw.choice(MIDDLES[draw.choice(sorted(set(MIDDLES) - {kind}))]))
        words = " ".join(said).format(item=draw.choice(ITEMS), month=draw.choice(MONTHS))
        rows.append([i + 1, words])
        truth.append(kind)
    write(folder, "letters.csv", ["number", "letter", "about", "truth"],
          [[*row, about, true] for row, about, true in zip(rows, some(truth, each), truth)])


def is_inked(shape, u, v):
    """Is a point of the plane within a stroke of the shape, which lies around 0 with size 1?"""
    if shape == "circle":
        return abs(math.hypot(u, v) - 0.8) < 0.3
    if shape == "cross":
        return min(abs(u - v), abs(u + v)) < 0.35 and max(abs(u), abs(v)) < 1
    if shape == "square":
        return abs(max(abs(u), abs(v)) - 0.75) < 0.27
    return max(-v - 0.75, abs(u) * 1.6 + v - 0.85) < 0.1 and max(-v - 0.75, abs(u) * 1.6 + v - 0.85) > -0.45  # triangle


def shapes(folder, n=320, each=6, side=8):
    """Pictures of 8 x 8 gray values (0 to 9), a pixel a column: four shapes, moved, resized, turned a little and blurred by noise."""
    draw = random.Random(13)
    rows, truth = [], []
    for _ in range(n):
        shape = draw.choice(["circle", "cross", "square", "triangle"])
        x, y, size, turn = draw.gauss(0, 0.18), draw.gauss(0, 0.18), draw.uniform(0.75, 1.05), draw.gauss(0, 0.16)
        pixels = []
        for r in range(side):
            for c in range(side):
                ink = 0
                for k in range(9):  # a pixel is nine points
                    u, v = (c + k % 3 / 3 + 1 / 6) / side * 2.6 - 1.3 - x, 1.3 - (r + k // 3 / 3 + 1 / 6) / side * 2.6 - y
                    ink += is_inked(shape, (u * math.cos(turn) - v * math.sin(turn)) / size,
                                    (u * math.sin(turn) + v * math.cos(turn)) / size)
                pixels.append(min(9, max(0, round(ink + draw.gauss(0, 1)))))
        rows.append(pixels)
        truth.append(shape)
    header = [f"p{r}{c}" for r in range(side) for c in range(side)] + ["shape", "truth"]
    write(folder, "shapes.csv", header, [[*row, shape, true] for row, shape, true in zip(rows, some(truth, each), truth)])


def main():
    folder = sys.argv[1] if len(sys.argv) > 1 else os.path.join(HERE, "data")
    orders(folder)
    letters(folder)
    shapes(folder)


if __name__ == "__main__":
    main()
