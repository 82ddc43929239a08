"""Strongly connected components and orders of a graph of small integers, without recursion and in linear time."""

from __future__ import annotations

import heapq
from collections.abc import Collection, Mapping, Sequence


def strong_components(nodes: Sequence[int], successors: Mapping[int, Collection[int]]) -> tuple[tuple[int, ...], ...]:
    """Tarjan's algorithm: the components, each sorted; edges out of `nodes` are ignored."""
    inside = set(nodes)
    number: dict[int, int] = {}
    low: dict[int, int] = {}
    stack: list[int] = []
    on_stack: set[int] = set()
    components: list[tuple[int, ...]] = []
    for root in nodes:
        if root in number:
            continue
        work = [(root, iter(successors.get(root, ())))]
        number[root] = low[root] = len(number)
        stack.append(root)
        on_stack.add(root)
        while work:
            node, following = work[-1]
            for after in following:
                if after not in inside:
                    continue
                if after not in number:
                    number[after] = low[after] = len(number)
                    stack.append(after)
                    on_stack.add(after)
                    work.append((after, iter(successors.get(after, ()))))
                    break
                if after in on_stack:
                    low[node] = min(low[node], number[after])
            else:
                work.pop()
                if work:
                    parent = work[-1][0]
                    low[parent] = min(low[parent], low[node])
                if low[node] == number[node]:
                    components.append(_pop_component(node, stack, on_stack))
    return tuple(components)


def _pop_component(node: int, stack: list[int], on_stack: set[int]) -> tuple[int, ...]:
    members: list[int] = []
    while True:
        member = stack.pop()
        on_stack.discard(member)
        members.append(member)
        if member == node:
            return tuple(sorted(members))


def ordered(components: Sequence[tuple[int, ...]], successors: Mapping[int, Collection[int]]) -> tuple[tuple[int, ...], ...]:
    """The components so that each comes after those it needs, otherwise by their least node (negative ones come at once)."""
    component_of = {node: k for k, component in enumerate(components) for node in component}
    after: list[set[int]] = [set() for _ in components]
    for node, k in component_of.items():
        after[k].update(component_of[n] for n in successors.get(node, ()) if n in component_of and component_of[n] != k)
    waiting = [0] * len(components)
    for following in after:
        for k in following:
            waiting[k] += 1
    priority = [min((node for node in component if node >= 0), default=-1) for component in components]
    ready = [(priority[k], k) for k in range(len(components)) if not waiting[k]]
    heapq.heapify(ready)
    found: list[tuple[int, ...]] = []
    while ready:
        _, k = heapq.heappop(ready)
        found.append(components[k])
        for following_component in sorted(after[k]):
            waiting[following_component] -= 1
            if not waiting[following_component]:
                heapq.heappush(ready, (priority[following_component], following_component))
    return tuple(found)


def shortest_cycle(nodes: Sequence[int], successors: Mapping[int, Collection[int]]) -> tuple[int, ...]:
    """A cycle with the fewest nodes through the first node that lies on one; () where there is none."""
    inside = set(nodes)
    for start in nodes:
        came_from: dict[int, int] = {}
        front = [start]
        while front:
            following: list[int] = []
            for node in front:
                for after in sorted(set(successors.get(node, ())) & inside):
                    if after == start:
                        return _path(start, node, came_from)
                    if after not in came_from:
                        came_from[after] = node
                        following.append(after)
            front = following
    return ()


def _path(start: int, end: int, came_from: Mapping[int, int]) -> tuple[int, ...]:
    path = [end]
    while path[-1] != start:
        path.append(came_from[path[-1]])
    return tuple(reversed(path))
