"""The graph of blocks, on graphs drawn at random, beside sets that say what it should."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ur_solver.engine.graph import BlockGraph


@st.composite
def graphs(draw):
    n = draw(st.integers(1, 12))
    reads = [
        tuple(sorted(draw(st.sets(st.integers(0, index - 1), max_size=4)))) if index else ()
        for index in range(n)
    ]
    # what an earlier run finished: any blocks, as long as they read none that is not
    done = set()
    for index in range(n):
        if set(reads[index]) <= done and draw(st.booleans()):
            done.add(index)
    return reads, done


@given(graphs(), st.randoms(use_true_random=False))
def test_what_is_ready_done_and_still_read(graph_and_done, random):
    reads, done = graph_and_done
    graph = BlockGraph(reads, [1] * len(reads), done)
    held, taken = set(done), set()

    def is_read(index):
        return any(index in reads[k] for k in range(len(reads)) if k not in done)

    assert all(graph.is_read(index) == is_read(index) for index in range(len(reads)))
    held = {index for index in held if is_read(index)}
    while graph.n_left:
        ready = {
            k
            for k in range(len(reads))
            if k not in done and k not in taken and set(reads[k]) <= done
        }
        assert graph.n_ready == len(ready)
        if ready and (not taken or random.random() < 0.5):
            assert graph.peek() == min(ready)
            assert graph.take() == min(ready)
            taken.add(min(ready))
            continue
        index = random.choice(sorted(taken))
        taken.remove(index)
        done.add(index)
        held.add(index)
        unread = graph.finish(index)
        assert set(unread) == {each for each in held if not is_read(each)}
        assert len(unread) == len(set(unread))
        held -= set(unread)
    assert not graph.n_ready
    assert not held
    assert graph.done.all()


def test_a_block_is_finished_once():
    graph = BlockGraph([(), (0,)], [1, 1])
    graph.finish(graph.take())
    with pytest.raises(ValueError, match="block 0 is done already"):
        graph.finish(0)


@given(graphs(), st.randoms(use_true_random=False))
def test_a_block_that_is_lost_is_worked_on_again(graph_and_done, random):
    reads, done = graph_and_done
    graph = BlockGraph(reads, [1] * len(reads), done)
    taken = {}  # by block in work, how many had been finished before
    finished = []
    for _ in range(200):
        if graph.n_left == 0:
            break
        ready = {
            k
            for k in range(len(reads))
            if k not in done and k not in taken and set(reads[k]) <= done
        }
        assert graph.n_ready == len(ready)
        chance = random.random()
        if chance < 0.2 and done and taken:
            lost, reader = random.choice(sorted(done)), random.choice(sorted(taken))
            graph.reopen(lost, reader)
            graph.reopen(lost, reader)
            if lost not in finished[taken[reader] :]:  # else it has been found again meanwhile
                done.discard(lost)
        elif chance < 0.4 and taken:
            index = random.choice(sorted(taken))
            del taken[index]
            graph.give_back(index)
        elif ready and (chance < 0.7 or not taken):
            assert graph.take() == min(ready)
            taken[min(ready)] = len(finished)
        elif taken:
            index = random.choice(sorted(taken))
            del taken[index]
            done.add(index)
            finished.append(index)
            graph.finish(index)
        assert graph.n_left == len(reads) - len(done)
        assert all(
            graph.is_read(index)
            == any(index in reads[k] for k in range(len(reads)) if k not in done)
            for index in range(len(reads))
        )
