"""`opwright explain`: who serves a call, and an error with a way out for every word that can be wrong."""

import json
import subprocess
import sys
from collections.abc import Callable

import pytest

from opwright.ascendc.socs import SOCS
from opwright.cli import main

torch = pytest.importorskip("torch", reason="torch is not installed")

from opwright import explain  # noqa: E402
from opwright.cli.explain import _read  # noqa: E402
from opwright.schema import parse  # noqa: E402

Golden = Callable[[str, str], None]
Run = Callable[..., subprocess.CompletedProcess[str]]
Here = Callable[..., tuple[int, str, str]]
RIGHT = {"x": "bf16[1024,4096]", "weight": "bf16[4096]", "epsilon": "1e-6"}
KERNEL = "rms_norm_row_bfloat16_bfloat16_bfloat16"


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Here:
    """Runs a command in this process: PyTorch takes longer to load than all the rest."""

    def call(*words: str, **arguments: str) -> tuple[int, str, str]:
        given = [word for name, value in arguments.items() for word in ("--arg", f"{name}={value}")]
        monkeypatch.setattr(sys, "argv", ["opwright", "explain", *words, *given])
        monkeypatch.setenv("COLUMNS", "80")
        with pytest.raises(SystemExit) as end:
            main()
            sys.exit(0)
        out, err = capfd.readouterr()
        return int(end.value.code or 0), out, err

    return call


def test_text_and_json(here: Here) -> None:
    """The same as `opwright.explain` says of such a call."""
    x, weight = torch.empty(1024, 4096, dtype=torch.bfloat16), torch.empty(4096, dtype=torch.bfloat16)
    expected = explain("rms_norm", x, weight, 1e-6)
    assert here("rms_norm", **RIGHT) == (0, f"{expected}\n", "")
    code, out, err = here("rms_norm", "--json", **RIGHT)
    assert (code, err) == (0, "")
    assert json.loads(out) == json.loads(json.dumps(expected.to_dict()))
    assert out.startswith('{\n "operator": "rms_norm",\n "device": "cpu",\n "provider": ')


def test_the_launch_of_its_kernel(here: Here) -> None:
    """All vector cores of the SoC, but not more than there are rows; an operator that states no launch has none."""
    _, out, _ = here("rms_norm", "--soc", "ascend950", "--json", **RIGHT)
    found = json.loads(out)["launch"]
    assert found == {
        "soc": "ascend950",
        "kernel": KERNEL,
        "blocks": SOCS["ascend950"].aiv,
        "arguments": found["arguments"],
        "workspace": 0,
    }
    assert found["arguments"][:2] == [1024, 4096]
    few = {**RIGHT, "x": "bf16[3,4096]"}
    assert f"  on ascend910b: {KERNEL} on 3 cores\n    numbers (3, 4096, " in here("rms_norm", **few)[1]
    _, out, _ = here("encode_to_hifloat8", "--json", input="f16[8]")
    assert json.loads(out)["launch"] == {}


def test_what_decides_is_what_is_given(here: Here) -> None:
    """A float64 tensor is nothing for the vector unit; None is no weight; a number may be left out."""
    _, out, _ = here("rms_norm", x="f64[2,8]", weight="None", epsilon="1", variance_size="4")
    assert "has no variant for float64" in out
    assert "kernel: takes this call" in here("rms_norm", x="f32[2,8]", weight="f32[8]", epsilon="1")[1]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("Tensor a=f16[2,3]", (torch.float16, (2, 3))),
        ("Tensor a=half[]", (torch.float16, ())),
        ("Tensor a=bool[0]", (torch.bool, (0,))),
        ("Tensor a=double[4]", (torch.float64, (4,))),
        ("Tensor? a=None", None),
        ("int a=3", 3),
        ("int? a=None", None),
        ("bool a=True", True),
        ("float a=1e-6", 1e-6),
        ("str a=None", "None"),
        ("str? a=None", None),
        ("str a=3", "3"),
        ("SymInt[] a=[1,-1]", [1, -1]),
        ("SymInt[] a=[]", []),
        ("int[] a=[ 2 , 3 ]", [2, 3]),
        ("ScalarType a=f16", torch.float16),
        ("ScalarType a=float8_e4m3fn", torch.float8_e4m3fn),
        ("ScalarType? a=None", None),
    ],
)
def test_values(text: str, value: object) -> None:
    kind, _, given = text.rpartition("=")
    (argument,) = parse(f"mylib::any({kind}) -> Tensor").arguments
    read = _read(argument, given)
    if isinstance(read, torch.Tensor):
        read = (read.dtype, tuple(read.shape))
    assert read == value and type(read) is type(value)


@pytest.mark.parametrize(
    ("operator", "changed", "message"),
    [
        ("rms_nrm", {}, "error: there is no operator 'rms_nrm'\nhint: did you mean rms_norm?"),
        ("rms_norm", {"x": "bf17[2,8]"}, "--arg x: 'bf17' is not a data type; did you mean bf16?"),
        ("rms_norm", {"x": "4096"}, "--arg x=4096: describe a tensor as TYPE[SHAPE], such as bf16[1024,4096]"),
        ("rms_norm", {"x": "f32[-1]"}, "--arg x=f32[-1]: describe a tensor as TYPE[SHAPE]"),
        ("rms_norm", {"x": "f32[99999999999999,99999]"}, "--arg x=f32[99999999999999,99999]: "),
        ("rms_norm", {"y": "1"}, "unknown argument y; for example:"),
        ("rms_norm", {"epsilon": "small"}, "error: rms_norm: epsilon must be a number, not str"),
        ("rms_norm", {"x": "i32[2,8]"}, "error: rms_norm: x cannot be int32"),
        ("rms_norm", {"weight": "bf16[7]"}, "error: rms_norm: weight must have the shape [4096]"),
    ],
)
def test_refused(operator: str, changed: dict[str, str], message: str, here: Here) -> None:
    code, out, err = here(operator, **{**RIGHT, **changed})
    assert code in (1, 2) and out == ""
    assert message in err and "Traceback" not in err


def test_a_line_that_would_work(here: Here) -> None:
    _, _, err = here("rms_norm", x="f32[2,8]")
    assert "no value for weight, epsilon; for example:" in err
    *_, line = err.strip().splitlines()
    _, command, operator, *words = line.split()
    assert (command, operator) == ("explain", "rms_norm")
    assert here("rms_norm", *words)[0] == 0
    assert "--arg x is given twice" in here("rms_norm", "--arg", "x=f32[8]", **RIGHT)[2]
    assert "--arg x: write --arg NAME=VALUE" in here("rms_norm", "--arg", "x")[2]


def test_a_list_that_is_none() -> None:
    (argument,) = parse("mylib::any(int[] a) -> Tensor").arguments
    for text in ("1", "[1", "[a]", "[1,]"):
        with pytest.raises(Exception, match="write a list of integers"):
            _read(argument, text)


def test_without_torch(run: Run, tmp_path: object) -> None:
    """Where PyTorch is not installed the message says so."""
    (tmp_path / "sitecustomize.py").write_text(
        "import importlib.util\nfind = importlib.util.find_spec\n"
        "importlib.util.find_spec = lambda name, package=None: None if name == 'torch' else find(name, package)\n"
    )
    done = run("explain", "rms_norm", PYTHONPATH=str(tmp_path))
    assert done.returncode == 1
    assert done.stderr.startswith("error: opwright.ops needs PyTorch, which is not installed")


def test_help(here: Here, golden: Golden) -> None:
    code, out, _ = here("--help")
    assert code == 0
    golden("opwright_explain_help.txt", out)
