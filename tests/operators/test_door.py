"""The door: `import opwright.ops` registers every operator once, whoever imports it, and says what is wrong."""

import importlib
import inspect
import json
import os
import pickle
import pydoc
import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed")

import opwright  # noqa: E402
import opwright.ops  # noqa: E402
from opwright.errors import BadDefinition, DefinedTwice, ProviderRefused  # noqa: E402
from opwright.frameworks.torch import register as registering  # noqa: E402
from opwright.frameworks.torch.loading import functions  # noqa: E402
from opwright.kernel.arrays import memory_of  # noqa: E402
from opwright.native.build import MANIFEST  # noqa: E402
from opwright.operators import _operator  # noqa: E402
from opwright.operators._forms import with_addresses  # noqa: E402
from opwright.schema import parse  # noqa: E402

Golden = Callable[[str, str], None]
X = torch.arange(24.0).reshape(3, 8)
EXPECTED = X / torch.sqrt(X.square().mean(-1, keepdim=True) + 1e-6)


def python(code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """A new process, with that code after `import json, sys, warnings`."""
    whole = {name: text for name, text in os.environ.items() if name not in ("PYTHONPATH", "OPWRIGHT_PROVIDERS")}
    return subprocess.run(
        [sys.executable, "-c", f"import json, sys, warnings\n{textwrap.dedent(code)}"],
        env={**whole, **environment},
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )


def printed(code: str, **environment: str) -> object:
    """What a new process prints as JSON in its last line."""
    done = python(code, **environment)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


# Importing ------------------------------------------------------------------------------------------------------


def test_opwright_alone_registers_nothing() -> None:
    """Nor do its submodules that are not the door; the namespace comes with `opwright.ops`."""
    found = printed("""
        import opwright, opwright.errors, opwright.settings
        before = "torch" in sys.modules
        import torch, opwright.operators, opwright.frameworks.torch.loading
        names = [sum(name.startswith("opwright::") for name in torch._C._dispatch_get_all_op_names())]
        import opwright.ops
        names.append(sum(name.startswith("opwright::") for name in torch._C._dispatch_get_all_op_names()))
        print(json.dumps([before, *names]))
    """)
    assert found[:2] == [False, 0]
    assert found[2] > 0


def test_two_threads_at_once() -> None:
    """Children of one process with PyTorch: each lets two threads import the door at the same moment."""
    found = printed("""
        import os, threading, torch, numpy, opwright
        import opwright.native.library as library
        library.opened()  # compiled and read from disk before, not twenty times
        codes = []
        for _ in range(20):
            child = os.fork()
            if child == 0:
                seen, start = [], threading.Barrier(2)

                def enter():
                    start.wait()
                    import opwright.ops
                    seen.append(opwright.ops.rms_norm(torch.ones(1, 8), None, 0.0).sum().item())

                threads = [threading.Thread(target=enter) for _ in range(2)]
                [thread.start() for thread in threads]
                [thread.join() for thread in threads]
                os._exit(0 if seen == [8.0, 8.0] else 1)
            codes.append(os.waitpid(child, 0)[1])
        print(json.dumps(codes))
    """)
    assert found == [0] * 20


def test_reload_of_an_operator() -> None:
    """The functions of the new module are used, and PyTorch knows the operator once."""
    found = _operator.operators()["opwright::rms_norm"]
    made = registering.registered["opwright::rms_norm"]
    before = {kind: function for kind, function in found.functions.items() if kind != "call"}  # the registration's
    module = importlib.import_module(found.module)
    importlib.reload(module)
    assert _operator.operators()["opwright::rms_norm"] is found is module.rms_norm
    assert all(found.functions[kind] is not function for kind, function in before.items())
    assert registering.registered["opwright::rms_norm"] is made
    with opwright.using("rms_norm", "reference"):
        torch.testing.assert_close(opwright.ops.rms_norm(X, None, 1e-6), EXPECTED)
    assert opwright.explain("rms_norm", X, None, 1e-6).provider == found.orders["cpu"][0]


def test_reload_of_the_door() -> None:
    before = opwright.ops.rms_norm
    importlib.reload(opwright.ops)
    assert opwright.ops.rms_norm is before
    torch.testing.assert_close(opwright.ops.rms_norm(X, None, 1e-6), EXPECTED)


def test_another_copy_of_the_library() -> None:
    """A library that is loaded already is the same one; the calls it counts go on."""
    found = printed("""
        import ctypes, torch
        from pathlib import Path
        from opwright.native.build import cpu_library, torch_library
        paths = [cpu_library().path, torch_library(Path(torch.__file__).parent).path]
        kept = [ctypes.CDLL(str(path)) for path in paths]
        import opwright.ops
        from opwright.frameworks.torch.register import calls, registered
        for _ in range(3):
            opwright.ops.rms_norm(torch.ones(2, 8), None, 1e-6)
        print(json.dumps(calls(registered["opwright::rms_norm"], "native")))
    """)
    assert found == 3


def test_a_name_that_is_taken() -> None:
    """Another library has registered the operator: that is said, with the place of ours."""
    done = python("""
        import torch
        taken = torch.library.Library("opwright", "FRAGMENT")
        taken.define("rms_norm(Tensor x) -> Tensor")
        import opwright.ops
    """)
    assert done.returncode == 1
    last = done.stderr[done.stderr.rindex("opwright.errors.BadDefinition: ") :]
    assert "the operator opwright::rms_norm, defined at " in last and "rms_norm.py:" in last
    assert "hint: another library has registered this name in PyTorch; only one of them can be loaded" in last


# Definitions ------------------------------------------------------------------------------------------------------

TWICE = """
import torch
from opwright import host
from opwright.operators import operator

twice = operator("{space}::twice(Tensor x) -> Tensor", dtypes=(torch.float32,))


@twice.reference
def _reference(x):
    \"\"\"Doubles.\"\"\"
    return x + x


@twice.infer
def _infer(x):
    return host.like(x)
"""


def load(path: Path, text: str) -> object:
    """Runs a file as a module."""
    path.write_text(text)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_two_definitions(tmp_path: Path) -> None:
    load(tmp_path / "first.py", TWICE.format(space="test_door_two"))
    with pytest.raises(DefinedTwice) as raised:
        load(tmp_path / "second.py", TWICE.format(space="test_door_two"))
    first, second = tmp_path / "first.py:6", tmp_path / "second.py:6"
    assert f"test_door_two::twice is defined at {first} and at {second}" in str(raised.value)


@pytest.mark.parametrize("schema", ["opwright::mine(Tensor x) -> Tensor", "mine(Tensor x) -> Tensor"])
def test_our_namespace_is_ours(schema: str) -> None:
    with pytest.raises(BadDefinition) as raised:
        _operator.operator(schema, dtypes=(torch.float32,))
    assert f"{__file__}:" in str(raised.value) and 'hint: give it a namespace of your own: "mylib::mine' in str(
        raised.value
    )
    assert "opwright::mine" not in _operator.operators()


def test_an_operator_of_a_file(tmp_path: Path) -> None:
    """Registered by hand, once; what it lacks is said."""
    module = load(tmp_path / "own.py", TWICE.format(space="test_door_own"))
    twice = opwright.ops.register(module.twice)
    assert opwright.ops.register(module.twice) is twice
    assert twice(X).equal(2 * X) and torch.ops.test_door_own.twice(X).equal(2 * X)
    assert opwright.explain("test_door_own::twice", X).operator == "test_door_own::twice"
    assert "twice" not in dir(opwright.ops)
    half = load(tmp_path / "half.py", TWICE.format(space="test_door_half").partition("@twice.infer")[0])
    with pytest.raises(BadDefinition, match=r"has no infer\nhint: add @twice\.infer above a function"):
        opwright.ops.register(half.twice)


def test_a_strided_view_for_a_kernel_names_the_operator(tmp_path: Path) -> None:
    """A19: a provider of another package hands it to a kernel as it is."""
    module = load(tmp_path / "strided.py", TWICE.format(space="test_door_strided"))

    def hands_on(x: torch.Tensor) -> torch.Tensor:
        memory_of("kernel", "x", x)
        return x * 2

    module.twice.providers["reference"].run = hands_on
    twice = opwright.ops.register(module.twice)
    assert twice(X).equal(2 * X)
    with pytest.raises(ProviderRefused) as raised:
        twice(X.t())
    words = (
        "test_door_strided::twice: its provider reference does not take this call: kernel: argument x is not contiguous"
    )
    assert words in str(raised.value) and "or let its supports refuse such tensors" in str(raised.value)


def test_refused_calls_bring_addresses_of_texts() -> None:
    """PyTorch loses the copy that it makes of a text that one library passes on to another operator."""
    schema = parse('f(Tensor x, str a="b, c", *, str? d=None, str e) -> Tensor')
    assert str(with_addresses(schema)) == "f(Tensor x, int a=0, *, int? d=None, int e) -> Tensor"


# Operators of other packages ------------------------------------------------------------------------------------------


def package(folder: Path, name: str, text: str) -> None:
    """A package that names a module of operators."""
    (folder / f"{name}.py").write_text(text)
    about = folder / f"{name}-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(f"[opwright.operators]\n{name} = {name}\n")


USE = """
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    {imports}
    importlib.reload(opwright.ops)
said = [[str(one.message), one.filename] for one in caught if "are not there" in str(one.message)]
x = torch.arange(6.0)
doubled = torch.ops.theirlib.twice(x)
compiled = torch.compile(torch.ops.theirlib.twice, fullgraph=True, backend="aot_eager")(x)
orders = {{name: list(opwright.frameworks.torch.serve.order_of(one, "cpu")) for name, one in operators().items()}}
print(json.dumps([said, doubled.tolist(), compiled.tolist(), orders, opwright.ops.rms_norm(x, None, 1.0).numel()]))
"""


@pytest.mark.parametrize(
    "imports",
    ["import opwright.ops", "import theirlib, opwright.ops"],
    ids=["door_first", "package_first"],
)
def test_entry_points(imports: str, tmp_path: Path) -> None:
    """Their operators are there whoever is imported first; a broken package is one warning, at the user's line."""
    package(tmp_path, "theirlib", TWICE.format(space="theirlib"))
    package(tmp_path, "brokenlib", "raise OSError('no such device')\n")
    package(tmp_path, "anotherlib", TWICE.format(space="theirlib"))  # the same name again
    text = f"import importlib, torch\nfrom opwright.operators._operator import operators\n{USE.format(imports=imports)}"
    said, doubled, compiled, orders, count = printed(text, PYTHONPATH=str(tmp_path))
    loser = "theirlib" if imports == "import opwright.ops" else "anotherlib"  # by the alphabet, or by what was first
    assert sorted(message.partition(":")[0] for message, _ in said) == [
        f"operators of {name} ({name}) are not there" for name in sorted(["brokenlib", loser])
    ]
    assert {file for _, file in said} == {"<string>"}
    assert doubled == compiled == [0.0, 2.0, 4.0, 6.0, 8.0, 10.0]
    assert orders["opwright::rms_norm"] == ["native", "reference", "kernel"]
    assert orders["theirlib::twice"] == ["reference"]
    assert count == 6


# Settings ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("rms_norm", "BadSetting: OPWRIGHT_PROVIDERS='rms_norm': takes operator=provider, separated by commas"),
        (
            "rms_nrm=native",
            "NoSuchOperator: there is no operator 'rms_nrm'\nhint: OPWRIGHT_PROVIDERS names it; did you",
        ),
        (
            "rms_norm=nativ",
            "NoSuchProvider: rms_norm has no provider 'nativ'\nhint: its providers are reference, kernel, ",
        ),
    ],
)
def test_setting_that_names_nothing(text: str, message: str) -> None:
    """It is said at once, and again at the next try."""
    done = python(
        "import torch\nfor _ in range(2):\n    try:\n        import opwright.ops\n"
        "    except Exception as error:\n        print(f'{type(error).__name__}: {error}')",
        OPWRIGHT_PROVIDERS=text,
    )
    assert done.stdout.count(message) == 2, done.stdout + done.stderr


def test_setting() -> None:
    """It decides who serves; names of other packages may come later."""
    code = """
        import torch, opwright
        found = opwright.explain("rms_norm", torch.ones(2, 8), None, 1e-6)
        print(json.dumps([found.provider, found.chosen_by, found.order]))
    """
    found = printed(code, OPWRIGHT_PROVIDERS="rms_norm=reference, mylib::later=kernel")
    assert found == ["reference", "OPWRIGHT_PROVIDERS", ["reference", "native", "kernel"]]


# Machines that lack something --------------------------------------------------------------------------------------

WITHOUT = """
import torch, opwright
found = opwright.explain("rms_norm", torch.ones(2, 8), None, 0.0)
assert opwright.ops.rms_norm(torch.ones(2, 8), None, 0.0).equal(torch.ones(2, 8))
with opwright.using("rms_norm", "reference"):
    opwright.ops.rms_norm(torch.ones(2, 8), None, 0.0)
try:
    with opwright.using("rms_norm", "native"):
        pass
except opwright.errors.ProviderRefused as error:
    print(json.dumps([found.provider, found.refused["native"], str(error)]))
"""


def no_compiler(folder: Path) -> dict[str, str]:
    return {"OPWRIGHT_CXX": "nonesuch-c++"}


def unsafe_cache(folder: Path) -> dict[str, str]:
    folder.chmod(0o777)
    return {"OPWRIGHT_CACHE_DIR": str(folder)}


def compiler(path: Path, text: str) -> dict[str, str]:
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return {"OPWRIGHT_CXX": str(path), "OPWRIGHT_CACHE_DIR": str(path.parent / "cache")}


def compiler_that_fails(folder: Path) -> dict[str, str]:
    return compiler(folder / "c++", "echo no licence; exit 1")


def library_that_is_none(folder: Path) -> dict[str, str]:
    return compiler(
        folder / "c++", 'for word; do last=$word; done; [ "$last" = --version ] || echo no library > "$last"'
    )


@pytest.mark.skipif(MANIFEST.exists(), reason="this wheel has the libraries inside: nothing is compiled")
@pytest.mark.parametrize(
    ("lacks", "why"),
    [
        (no_compiler, "no C++ compiler found for the twin (looked for nonesuch-c++), and this is a source install"),
        (unsafe_cache, "may be written to by others"),
        (compiler_that_fails, "no licence"),
        (library_that_is_none, "cannot be loaded: "),
    ],
)
def test_the_reference_serves(lacks: Callable[[Path], dict[str, str]], why: str, tmp_path: Path) -> None:
    """Whatever keeps the libraries away, the operators are there; who asks for a library is told why it is not."""
    provider, reason, error = printed(WITHOUT, **lacks(tmp_path))
    assert provider == "reference"
    assert why in reason and reason in error
    assert error.startswith("rms_norm: its provider native does not take this call: ")


# What is offered ----------------------------------------------------------------------------------------------------


def test_help(golden: Golden) -> None:
    golden("help_rms_norm.txt", pydoc.render_doc(opwright.ops.rms_norm, renderer=pydoc.plaintext) + "\n")


def test_names() -> None:
    own = {name.partition("::")[2]: one for name, one in _operator.operators().items() if name.startswith("opwright::")}
    expected = {*own, *(f"{name}_" for name, one in own.items() if one.writes)}
    expected |= {"decompositions", "define_aliases", "register"}
    assert set(dir(opwright.ops)) == set(opwright.ops.__all__) == expected
    space: dict[str, object] = {}
    exec("from opwright.ops import *\nfrom opwright.ops import rms_norm as again", space)
    assert space["rms_norm"] is space["again"] is opwright.ops.rms_norm
    import rlcompleter

    # Plain attributes of the module: no function runs when one is looked up.
    assert expected <= vars(opwright.ops).keys()
    completer = rlcompleter.Completer({"opwright": opwright})
    assert completer.complete("opwright.ops.rms_nor", 0).startswith("opwright.ops.rms_norm")


def test_what_is_not_there() -> None:
    with pytest.raises(
        AttributeError, match=r"module 'opwright\.ops' has no operator 'rms_nrm'; did you mean rms_norm"
    ):
        opwright.ops.rms_nrm
    with pytest.raises(AttributeError, match=r"has no operator 'zzzzzz'; there are decode_from_hifloat8"):
        opwright.ops.zzzzzz
    with pytest.raises(ImportError, match="cannot import name 'rms_nrm'"):
        exec("from opwright.ops import rms_nrm")


@pytest.mark.parametrize("name", sorted(functions()))
def test_functions(name: str) -> None:
    """Every function says who it is, and travels to other processes by its name."""
    function = getattr(opwright.ops, name)
    assert (function.__name__, function.__module__) == (name, "opwright.ops")
    assert pickle.loads(pickle.dumps(function)) is function
    assert len(inspect.getdoc(function).splitlines()[0]) > 20
    parameters = list(inspect.signature(function).parameters)
    operator = _operator.operators()[f"opwright::{name.removesuffix('_')}"]
    written = [] if name.endswith("_") or operator.is_writing else ["out"]
    assert parameters == [one.name for one in operator.schema.arguments] + [*operator.synonyms.values()] + written


def test_explain_names_copies() -> None:
    x, out = torch.randn(4, 16), torch.empty(4, 2, 8)
    assert opwright.explain("silu_and_mul", x, out=out[:, 0]).copies == ""
    rows = torch.zeros(8, 4, dtype=torch.uint8).t()
    scale = torch.ones(4, 1)
    found = opwright.explain("dequantize_from_hifloat8", rows, scale, [1, -1])
    opwright.calls(reset=True)
    opwright.ops.dequantize_from_hifloat8(rows, scale, [1, -1])
    assert bool(found.copies) == bool(opwright.calls()["dequantize_from_hifloat8"]["native"].copied)
    with opwright.using("silu_and_mul", "reference"):
        assert opwright.explain("silu_and_mul", x).copies == ""
        said = opwright.explain("silu_and_mul", x, out=out[:, 0])
    assert said.copies == "the results to out: this provider makes new ones" and f"copies {said.copies}" in str(said)
    with pytest.raises(ValueError, match="out must have the shape"):
        opwright.explain("silu_and_mul", x, out=torch.empty(4, 9))
