"""The account of workers: who is given what, whatever they have room for."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.engine.test_graph import graphs
from tests.solving import needs_openmp
from ur_solver.engine.graph import BlockGraph, critical_paths
from ur_solver.engine.runners import Dispatcher


@given(graphs(), st.integers(0, 1 << 30))
def test_workers_are_never_given_more_than_they_have(graph_and_done, seed):
    reads, done = graph_and_done
    random = Random(seed)
    workers = [(random.randint(1, 4), random.randint(10, 20)) for _ in range(random.randint(1, 4))]
    costs = [random.randrange(1, 11) for _ in reads]
    graph = BlockGraph(reads, costs, done, critical_paths(reads, costs))
    dispatcher = Dispatcher(graph, costs.__getitem__)
    rooms = {}
    for number, (threads, memory) in enumerate(workers):
        machine = str(random.randrange(len(workers)))
        processors = threads + random.randint(0, 3)
        rooms[f"w{number}"] = (threads, memory, machine, processors)
        dispatcher.add(f"w{number}", threads, memory, machine=machine, processors=processors)
    in_work, finished, gone = {}, set(done), False
    while graph.n_left:
        while (given := dispatcher.assign()) is not None:
            assert set(reads[given.index]) <= finished
            assert given.index not in in_work
            in_work[given.index] = given
        # each has room for any block, so that something is in work
        assert in_work
        assert set(dispatcher.workers) == set(rooms)
        machines = {}
        for name, (threads, memory, machine, processors) in rooms.items():
            own = [each for each in in_work.values() if each.worker == name]
            assert len(own) <= threads
            assert sum(each.threads for each in own) <= processors
            assert sum(each.cost for each in own) <= memory
            there, used = machines.get(machine, (0, 0))
            machines[machine] = there + threads, used + sum(each.threads for each in own)
        # a worker that has gone may have lent what is still used
        assert gone or all(used <= there for there, used in machines.values())
        index = random.choice(sorted(in_work))
        worker = in_work[index].worker
        chance = random.random()
        if chance < 0.1 and len(rooms) > 1:
            lost = dispatcher.remove(worker)
            assert sorted(lost) == sorted(k for k, each in in_work.items() if each.worker == worker)
            for each in lost:
                del in_work[each]
            del rooms[worker]
            gone = True
        elif chance < 0.2:
            dispatcher.give_back(index)
            del in_work[index]
        else:
            dispatcher.release(index)
            graph.finish(index)
            finished.add(index)
            del in_work[index]


def test_a_block_waits_for_room_and_others_go_past_it():
    costs = [3, 3, 10, 1, 1]
    graph = BlockGraph([()] * 5, costs, (), priorities=[9, 8, 7, 2, 1])
    dispatcher = Dispatcher(graph, costs.__getitem__)
    dispatcher.add("one", 2, 10)
    dispatcher.add("two", 2, 10)
    given = [dispatcher.assign() for _ in range(4)]
    # block 2 waits for one of them to be empty; the other takes a small one
    assert [each and each.index for each in given] == [0, 1, 3, None]
    dispatcher.release(0)
    free = given[0].worker
    assert dispatcher.assign().index == (2 if given[2].worker != free else 4)


@needs_openmp
def test_a_large_block_is_given_the_threads_that_nobody_needs():
    graph = BlockGraph([(), (), (0,), (0,)], [1 << 20] * 4)
    dispatcher = Dispatcher(graph, lambda _: 1)
    dispatcher.add("one", 8, 100)
    assert [dispatcher.assign().threads for _ in range(2)] == [4, 4]
    limited = Dispatcher(BlockGraph([()], [1 << 20]), lambda _: 1, most_threads=1)
    limited.add("one", 8, 100)
    assert limited.assign().threads == 1


@needs_openmp
def test_a_block_that_is_alone_is_lent_the_idle_threads_of_its_machine():
    graph = BlockGraph([(), (), (0, 1), (2,), (2,)], [1 << 20] * 5)
    dispatcher = Dispatcher(graph, lambda _: 1)
    for worker in ("one", "two"):
        dispatcher.add(worker, 1, 100, machine="here", processors=2)
    first = [dispatcher.assign() for _ in range(3)]
    assert [each and (each.index, each.threads) for each in first] == [(0, 1), (1, 1), None]
    assert {first[0].worker, first[1].worker} == {"one", "two"}
    for index in (0, 1):
        dispatcher.release(index)
        graph.finish(index)
    assert dispatcher.assign().threads == 2
    dispatcher.release(2)
    graph.finish(2)
    assert [dispatcher.assign().threads for _ in range(2)] == [1, 1]


@needs_openmp
def test_threads_are_not_lent_beyond_what_a_worker_may_use():
    graph = BlockGraph([()], [1 << 20])
    dispatcher = Dispatcher(graph, lambda _: 1)
    for worker in ("one", "two", "three"):
        dispatcher.add(worker, 2, 100, machine="here", processors=3)
    assert dispatcher.assign().threads == 3


def test_threads_of_another_machine_are_not_lent():
    graph = BlockGraph([()], [1 << 20])
    dispatcher = Dispatcher(graph, lambda _: 1)
    for worker in ("one", "two"):
        dispatcher.add(worker, 1, 100, machine=worker, processors=8)
    assert dispatcher.assign().threads == 1


def test_critical_paths_are_the_longest():
    #  0 <- 1 <- 3, 0 <- 2
    assert critical_paths([(), (0,), (0,), (1,)], [1, 2, 9, 4]) == [10, 6, 9, 4]


@pytest.mark.parametrize("name", ["one", "two"])
def test_who_is_not_there_is_not_known(name):
    dispatcher = Dispatcher(BlockGraph([()], [1]), lambda _: 1)
    with pytest.raises(KeyError):
        dispatcher.remove(name)
