"""One operator in a fresh process: eight threads at once, then a fork, and once more for each OPWRIGHT_PROVIDERS.

In: a file that torch.save wrote: the operator's name, a module that defines it ("" for the package's own), arguments by
provider, and where to put the results. Out: that file of results by provider, and one line on stdout for each fault.
Nothing of the package is imported before the fork for a scenario, so that each is a first use.
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
    for provider in asked["values"]:
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
            print(f"raises in a fresh process: {error!r}")
        sys.stdout.flush()
        os._exit(0)
    _, status = os.waitpid(child, 0)
    if status != 0:
        print(f"dies in a fresh process, with status {status}")


def loaded(asked: dict[str, Any]) -> Callable[..., Any]:
    """The operator's function: importing is a part of the first use."""
    ops = importlib.import_module("opwright.ops")
    if asked["module"]:
        importlib.import_module(asked["module"])
    operator = importlib.import_module("opwright.operators._operator").operators()[asked["name"]]
    return ops.register(operator)


def is_same(a: Any, b: Any) -> bool:
    """Whether two calls gave the same, NaN for NaN."""
    first, second = (one if isinstance(one, tuple) else (one,) for one in (a, b))
    return all(torch.equal(x.nan_to_num(7.5), y.nan_to_num(7.5)) for x, y in zip(first, second, strict=True))


def use_by_threads(asked: dict[str, Any]) -> None:
    barrier = threading.Barrier(THREADS)
    found: dict[str, list[Any]] = {provider: [None] * THREADS for provider in asked["values"]}

    def first_use(number: int) -> None:
        try:
            barrier.wait()
            function = loaded(asked)
            using = importlib.import_module("opwright").using
            for provider, values in asked["values"].items():
                barrier.wait()
                with using(asked["name"], provider):
                    found[provider][number] = function(**values)
        except BaseException as error:
            barrier.abort()
            traceback.print_exc()
            print(f"raises on first use by many threads: {error!r}")

    threads = [threading.Thread(target=first_use, args=(number,)) for number in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    using, function = importlib.import_module("opwright").using, loaded(asked)
    last = {}
    for provider, values in asked["values"].items():
        with using(asked["name"], provider):
            last[provider] = function(**values)
        differing = [
            number for number, one in enumerate(found[provider]) if one is None or not is_same(one, last[provider])
        ]
        if differing:
            print(f"has a race on first use: by {provider}, {len(differing)} of {THREADS} threads got another result")
    torch.save(last, asked["results"])

    def after_fork() -> None:
        for provider, values in asked["values"].items():
            with using(asked["name"], provider):
                if not is_same(function(**values), last[provider]):
                    print(f"gives another result after a fork, by {provider}")

    in_a_fork(after_fork)


def use_by_setting(asked: dict[str, Any], provider: str) -> None:
    short = asked["name"].removeprefix("opwright::")
    os.environ["OPWRIGHT_PROVIDERS"] = f"{short}={provider}"
    function = loaded(asked)
    values = asked["values"][provider]
    said = importlib.import_module("opwright").explain(asked["name"], **values)
    if (said.provider, said.chosen_by) != (provider, "OPWRIGHT_PROVIDERS"):
        print(f"is explained as {said.provider}, by {said.chosen_by}, when OPWRIGHT_PROVIDERS names {provider}")
    register = importlib.import_module("opwright.frameworks.torch.register")
    made = register.registered[asked["name"]]
    function(**values)
    served = {name: register.calls(made, name) for name in made.operator.providers}
    if served != {name: int(name == provider) for name in served}:
        print(f"is served by {served} when OPWRIGHT_PROVIDERS names {provider}")


if __name__ == "__main__":
    main()
