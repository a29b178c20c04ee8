"""An estimator as a file for the page: its weights as they are, and what its inputs are.

The values are those of the network, of the errors by plies, and of where both come from; the
arrays, see `ur_solver.estimators.network`:

    weights     float32, layer by layer a matrix by rows, and its biases
    first       of each column of a row but the fines, and of mine and theirs borne off, which
                number stands for 0 there
    starts      of each number where its features begin, and where the last one's end
    features    the features of all numbers, one after the other
    parts       what each number takes of my stock and of theirs, in turn
    errors      float64: how wide intervals are, by how many plies a choice looks ahead
"""

from __future__ import annotations

from itertools import accumulate

import numpy as np

from ur_solver.estimators.file import Stored
from ur_solver.estimators.network import features_of
from ur_solver.publish.arrays import arrays_file


def network_file(stored: Stored) -> bytes:
    """The file of an estimator; ``page/engine/network.js`` reads it."""
    features, payoff = features_of(stored.rules), stored.rules.payoff
    held: list[np.ndarray] = []
    before = 0
    for lookup in features.lookups:
        held += [before + np.flatnonzero(each) for each in lookup]
        before += lookup.shape[1]
    step = payoff.total(1) - payoff.total(0) if payoff.has_fines else 0
    values = {
        "features": len(features),
        "hidden": list(stored.shape.hidden),
        "is_chance": stored.shape.is_chance,
        "columns": len(features.lookups) - 2,
        "full": features.full,
        "scale": {
            "base": float(payoff.total(1)) if step else 1.0,
            "step": float(step),
            "fine": float(payoff.cost(True)),
        },
        "digest": stored.digest,
    }
    return arrays_file(
        values,
        {
            "weights": stored.weights,
            "first": features.first.astype(np.uint16),
            "starts": np.array(list(accumulate(map(len, held), initial=0)), dtype=np.uint32),
            "features": np.concatenate(held).astype(np.uint16),
            "parts": features.parts.astype(np.uint16),
            "errors": stored.errors,
        },
    )
