"""Operators in a fresh process: eight threads at once, then a fork, and once more for each OPWRIGHT_PROVIDERS.

In: a file that torch.save wrote: a module that defines the operators ("" for the package's own), arguments by operator
and provider, and where to put the results. Out: that file of results by operator and provider, and one line on stdout
for each fault. Nothing of the package is imported before the fork for a scenario, so that each is a first use.
"""

import importlib
import os
import sys
import threading
import traceback
from collections.abc import Callable
from typing import Any

import torch

THREADS = 8


def main() -> None:
    torch.set_num_threads(1)
    asked = torch.load(sys.argv[1], weights_only=True)
    in_a_fork(lambda: use_by_threads(asked))
    for provider in dict.fromkeys(provider for calls in asked["calls"].values() for provider in calls):
        in_a_fork(lambda provider=provider: use_by_setting(asked, provider))


def in_a_fork(scenario: Callable[[], None]) -> None:
    """Runs a scenario in a process of its own; one that dies is a fault."""
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        try:
            scenario()
        except BaseException as error:
            traceback.print_exc()
            print(f"a fresh process raises {error!r}")
        sys.stdout.flush()
        os._exit(0)
    _, status = os.waitpid(child, 0)
    if status != 0:
        print(f"a fresh process dies with status {status}")


def say(name: str, fault: str) -> None:
    print(f"{name} by first use {fault}")


def loaded(asked: dict[str, Any], name: str) -> Callable[..., Any]:
    """An operator's function: importing is a part of the first use."""
    ops = importlib.import_module("opwright.ops")
    if asked["module"]:
        importlib.import_module(asked["module"])
    operator = importlib.import_module("opwright.operators._operator").operators()[name]
    return ops.register(operator)


def is_same(a: Any, b: Any) -> bool:
    """Whether two calls gave the same, NaN for NaN."""
    first, second = (one if isinstance(one, tuple) else (one,) for one in (a, b))
    pairs = list(zip(first, second, strict=True))
    return all(x is y is None or torch.equal(x.nan_to_num(7.5), y.nan_to_num(7.5)) for x, y in pairs)


def use_by_threads(asked: dict[str, Any]) -> None:
    calls = [(name, provider, values) for name, found in asked["calls"].items() for provider, values in found.items()]
    barrier = threading.Barrier(THREADS)
    found: dict[tuple[str, str], list[Any]] = {(name, provider): [None] * THREADS for name, provider, _ in calls}

    def first_use(number: int) -> None:
        try:
            barrier.wait()
            functions = {name: loaded(asked, name) for name in asked["calls"]}
            using = importlib.import_module("opwright").using
            for name, provider, values in calls:
                barrier.wait()
                with using(name, provider):
                    found[name, provider][number] = functions[name](**values)
        except BaseException as error:
            barrier.abort()
            traceback.print_exc()
            print(f"first use by many threads raises {error!r}")

    threads = [threading.Thread(target=first_use, args=(number,)) for number in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    using = importlib.import_module("opwright").using
    last: dict[str, dict[str, Any]] = {name: {} for name in asked["calls"]}
    for name, provider, values in calls:
        with using(name, provider):
            last[name][provider] = loaded(asked, name)(**values)
        each = enumerate(found[name, provider])
        differing = [number for number, one in each if one is None or not is_same(one, last[name][provider])]
        if differing:
            say(name, f"has a race: by {provider}, {len(differing)} of {THREADS} threads got another result")
    torch.save(last, asked["results"])

    def after_fork() -> None:
        for name, provider, values in calls:
            with using(name, provider):
                if not is_same(loaded(asked, name)(**values), last[name][provider]):
                    say(name, f"gives another result after a fork, by {provider}")

    in_a_fork(after_fork)


def use_by_setting(asked: dict[str, Any], provider: str) -> None:
    chosen = {name: calls[provider] for name, calls in asked["calls"].items() if provider in calls}
    pairs = [f"{name.removeprefix('opwright::')}={provider}" for name in chosen]
    os.environ["OPWRIGHT_PROVIDERS"] = ",".join(pairs)
    for name, values in chosen.items():
        function = loaded(asked, name)
        said = importlib.import_module("opwright").explain(name, **values)
        if (said.provider, said.chosen_by) != (provider, "OPWRIGHT_PROVIDERS"):
            say(name, f"is explained as {said.provider}, by {said.chosen_by}; OPWRIGHT_PROVIDERS names {provider}")
        register = importlib.import_module("opwright.frameworks.torch.register")
        made = register.registered[name]
        function(**values)
        served = {one: register.calls(made, one) for one in made.operator.providers}
        if served != {one: int(one == provider) for one in served}:
            say(name, f"is served by {served}, when OPWRIGHT_PROVIDERS names {provider}")


if __name__ == "__main__":
    main()
