"""Values read from a table by h5py and hdf5plugin alone: reader(PATH) gives a function of texts."""

import json
import re
from functools import cache
from itertools import product

import h5py
import hdf5plugin  # noqa: F401 - h5py decompresses values by it

BACK, ROSETTES = "B7 B6 B5 B4 B3 B2 B1", "A1 C1 B4 A7 C7"
PATHS = {"bell": "B8 A8 A7", "masters": "C7 C8 B8 A8 A7", "aseb": "B8 B9 B10 B11 B12"}
PATHS |= {"murray": f"C7 C8 B8 A8 A7 {BACK} A1 A2 A3 A4", "skiriuk": f"A7 A8 B8 C8 C7 {BACK}"}
KINDS = [  # families, squares, whether the order of pieces counts, what may stand there
    ("casual birds", ROSETTES, False, lambda h: True),
    ("skiriuk", "A2 A4 B7 C2 C4", True, lambda h: len(h) < 5 and len({*map(str.upper, h)}) == 1),
    ("skiriuk", "B3 B6", True, lambda h: len(h) < 5),
    ("ben", ROSETTES, False, lambda h: max(map(h.count, h)) < 3),
    ("ben", "B1 B3 B6", False, lambda h: len({*map(str.islower, h)}) == len(h)),
]
SINGLE = False, lambda h: len(h) == 1


def turned(text):
    return text.translate(str.maketrans("ACLDld", "CADLdl"))


def reader(path):
    file = h5py.File(path)
    values, rules = file["values"], json.loads(file.attrs["rules"])
    family, n, stakes = rules["family"], rules["pieces"], rules.get("stakes")
    track = f"A4 A3 A2 A1 B1 B2 B3 B4 B5 B6 B7 {PATHS[rules['path']]}".split()
    numbers, full = ("1234567"[:n], (1,) * n) if family == "birds" else ([""], (n,))
    m, leg, each = len(full), 13 if rules["path"] == "skiriuk" else 16, 1
    unit, length = values.attrs["scale"], values.attrs["chunk_length"]
    if stakes:
        each = stakes["reach"] + 6
        unit = 2 * stakes["ante"] + (each - 5) * stakes["fine"]
    light = track[:12] + track[13:14] if family == "ben" else track[:leg]
    mine = {*product(light, "L"), *product(track[12 if family == "ben" else leg :], "l")}
    places = mine | {(turned(square), turned(letter)) for square, letter in mine}
    squares = sorted(dict(places), key=lambda square: (square[0], int(square[1:])))
    special = {s: k[2:] for k in KINDS if family in k[0] for s in k[1].split()}
    kinds = dict.fromkeys(squares, SINGLE) | special

    def part(pieces):  # light's, then dark's; of each number if they have any
        return tuple(sum(x.upper() == side + k for x in pieces) for side in "LD" for k in numbers)

    def less(stock, *parts):  # of one side, or of both
        return tuple(each - sum(taken) for each, *taken in zip(stock, *parts))

    def arranged(square, pieces):
        key = None if kinds[square][0] else lambda x: ("LDld".index(x[0]), x)
        return tuple(sorted(pieces, key=key) if key else pieces)

    def contents(square):  # by number, each with its shape's number and both sides' details
        pieces = [letter + k for letter in "LDld" for k in numbers if (square, letter) in places]
        found, layer, keys = [()], [()], []
        while layer:
            more = {arranged(square, (*h, piece)) for h in layer for piece in pieces}
            more = [h for h in more if min(less(full * 2, part(h))) >= 0]
            found += (layer := sorted(filter(kinds[square][1], more), key="".join))
        for h in found:
            key = [[(x[1:], x.islower()) for x in h if x[0].upper() == side] for side in "LD"]
            key = [[x[0].upper() for x in h], *key]
            keys.append(tuple(tuple(each if kinds[square][0] else sorted(each)) for each in key))
        for shape in {key[0] for key in keys}:
            same = [key for key in keys if key[0] == shape]
            if len({key[1] for key in same}) * len({key[2] for key in same}) > len(same):
                keys = [(key, (), ()) if key[0] == shape else key for key in keys]
        shapes = list(dict.fromkeys(key[0] for key in keys))
        return {h: (shapes.index(x[0]), *x[1:], k) for k, (h, x) in enumerate(zip(found, keys))}

    held = {square: contents(square) for square in squares}
    cold = max(k for k, square in enumerate(track) if turned(square) in dict(mine)) + 1
    tail, safe = track[cold:], "l" if cold >= leg else "L"
    order = [s for s in squares if not {s, turned(s)} & {*tail} - {*track[:cold]}]
    order.sort(key=lambda s: (-sum(k * [x, turned(x)].count(s) for k, x in enumerate(track)), s))
    private = [square for square in order if square in track and turned(square) not in track]
    shared = [square for square in order if {square, turned(square)} <= {*track}]

    def ice(square, pieces):  # those that are frozen
        return pieces if square in tail and pieces and pieces[0][0] == safe else ()

    @cache
    def placements(stock, closed):
        free = [[h for h in held[s] if not (ice(s, h) or (h and s in closed))] for s in private]
        found = [p for p in product(*free) if min(less(stock, *map(part, p))) >= 0]
        found.sort(key=lambda p: [-held[square][h][3] for square, h in zip(private, p)])
        return sorted(found, key=lambda p: len(sum(p, ())))

    @cache
    def count(k, stocks, closed, most=1 << 16):  # of shapes below `most` on the k-th shared square
        if k == len(shared):
            return len(placements(stocks[:m], closed[0])) * len(placements(stocks[m:], closed[1]))
        rest = [less(stocks, part(h)) for h, key in held[shared[k]].items() if key[0] < most]
        return sum(count(k + 1, left, closed) for left in rest if min(left) >= 0)

    def alike(square, pieces, stock):  # contents of the same shape that a stock has the pieces for
        shape, those = held[square][pieces][0], held[square].items()
        return [key for h, key in those if key[0] == shape and min(less(stock, part(h))) >= 0]

    solid = [{part(ice(square, h))[:m] for h in held[square]} for square in tail]
    offs = product(*(range(k + 1) for k in full))
    configs = [c for c in product(*solid, offs) if c[-1] != full and min(less(full, *c)) >= 0]
    configs.sort(key=lambda c: [p[::-1] for p in c])
    configs.sort(key=lambda c: -sum(k * sum(p) for k, p in enumerate(c, cold + 1)))
    starts = {}
    for a, b, start, size in file["blocks"]["mine", "theirs", "first_chunk", "size"].tolist():
        starts |= {(b, a): start * length + size // 2} | {(a, b): start * length}

    def value(text):
        board, side, *homes = f"{text} p0".split()
        cells = [re.findall(r"[LDld]\d?", x) for x in re.findall(r"\(.*?\)|[LDld]\d?|\.", board)]
        here = dict(zip(squares, cells))
        there = {turned(square): [*map(turned, pieces)] for square, pieces in here.items()}
        rank, weight, found = 0, 1, []
        for given, home in [(here, homes[0]), (there, homes[1])][:: 1 if side == "L" else -1]:
            stand = {square: arranged(square, given[square]) for square in squares}
            at_home = "L" * int(home) if numbers == [""] else [f"L{k}" for k in home.strip("-")]
            fixed = [part(ice(square, stand[square]))[:m] for square in tail]
            off = less(full, part(at_home), *map(part, stand.values()))
            stock = less(full, off, *fixed)
            closed = frozenset(square for square in tail if ice(square, stand[square]))
            found.append((stand, configs.index((*fixed, off)), stock, closed))
            for square in shared:
                details = {key[1] for key in alike(square, stand[square], stock)}
                rank = rank * len(details) + sorted(details).index(held[square][stand[square]][1])
                stock = less(stock, part(stand[square]))
            spot = tuple(() if ice(square, stand[square]) else stand[square] for square in private)
            rank = rank * len(spots := placements(stock, closed)) + spots.index(spot)
        (stand, _), pair, (mine, theirs), closed = zip(*found)
        stocks = mine + theirs
        for k, square in enumerate(shared):
            rank += weight * count(k, stocks, closed, held[square][stand[square]][0])
            weight *= len(alike(square, stand[square], stocks))
            stocks = less(stocks, part(stand[square]))
        return float(values[starts[pair] + rank * each + int(homes[2][1:])] * unit)

    return value
