"""`opwright emit`: the text, and an error with a way out for every word that can be wrong."""

import contextlib
import io
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from opwright.ascendc.socs import SOCS
from opwright.cli import main

ROOT = Path(__file__).parents[2]
LINE = (
    "opwright emit examples/01_vector_add.py:vadd --soc ascend910b --arg x=f16[4096] --arg y=f16[4096] "
    "--arg z=f16[4096] --arg block_length=512"
)
SHORT = "opwright emit examples/01_vector_add.py:vadd --soc ascend910b"
ARGUMENTS = {"x": "f16[4096]", "y": "f16[4096]", "z": "f16[4096]", "block_length": "512"}
Golden = Callable[[str, str], None]


def opwright(line: str, cwd: Path = ROOT, **environment: str) -> subprocess.CompletedProcess[str]:
    """Runs a command line as a shell would split it; output must never be a traceback."""
    program, *words = line.split()
    assert program == "opwright"
    if environment:
        command = [sys.executable, "-m", "opwright.cli", *words]
        whole = {**os.environ, **environment}
        done = subprocess.run(command, capture_output=True, text=True, cwd=cwd, env=whole, timeout=60, check=False)
    else:
        done = in_this_process(words, cwd)
    assert "Traceback" not in done.stdout + done.stderr
    return done


def in_this_process(words: list[str], cwd: Path) -> subprocess.CompletedProcess[str]:
    """The same without a new interpreter, which takes longer than all the rest."""
    out, err = io.StringIO(), io.StringIO()
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(cwd)
        patch.setattr(sys, "argv", ["opwright", *words])
        patch.setattr(sys, "path", list(sys.path))
        patch.setenv("COLUMNS", "80")
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            try:
                main()
                code = 0
            except SystemExit as end:
                code = end.code
    for name in [name for name in sys.modules if name == "neighbour" or name.startswith("opwright_file_")]:
        del sys.modules[name]
    return subprocess.CompletedProcess(words, code, out.getvalue(), err.getvalue())


def refused(line: str, **options: object) -> str:
    """What is said about a command line that is refused."""
    done = opwright(line, **options)
    assert done.returncode in (1, 2)
    assert done.stdout == ""
    assert len(done.stderr.strip().splitlines()) < 15
    return done.stderr


def with_arguments(kernel: str = "examples/01_vector_add.py:vadd", soc: str = "ascend910b", **changed: str) -> str:
    words = " ".join(f"--arg {name}={value}" for name, value in {**ARGUMENTS, **changed}.items())
    return f"opwright emit {kernel} --soc {soc} {words}"


@pytest.mark.quick
def test_the_line_is_that_of_the_example() -> None:
    assert with_arguments() == LINE
    text = (ROOT / "examples" / "01_vector_add.py").read_text(encoding="utf-8")
    assert LINE in text.replace("\\\n", "")


@pytest.mark.quick
def test_emit(golden: Golden) -> None:
    done = opwright(LINE)
    assert done.returncode == 0 and done.stderr == ""
    golden("01_vector_add.cpp", done.stdout)
    for name in ("vadd", "x_gm", "y_gm", "z_local", "begin", "buffer", "count", "block_length", "z_tile", "offset"):
        assert name in done.stdout


@pytest.mark.parametrize("soc", SOCS)
def test_emit_of_an_operator(soc: str) -> None:
    pytest.importorskip("torch", reason="torch is not installed")
    done = opwright(f"opwright emit silu_and_mul --soc {soc}")
    assert done.returncode == 0
    for name in ("float16", "bfloat16", "float32"):
        assert f"// silu_and_mul_kernel_{name}_{name} on {soc}\n#include" in done.stdout
    one = opwright(f"opwright emit silu_and_mul --soc {soc} --dtype bf16").stdout
    assert one.count("__global__") == 1 and one in done.stdout and "bfloat16_t" in one


def test_emit_of_an_operator_by_any_dtype_of_its_tensors() -> None:
    pytest.importorskip("torch", reason="torch is not installed")
    text = opwright("opwright emit rotary_embedding --soc ascend950 --dtype float16").stdout
    names = [line for line in text.splitlines() if line.startswith("// rotary")]
    dtypes = "_".join(["int64", *["float16"] * 5])
    assert names == [f"// rotary_embedding_{name}_{dtypes} on ascend950" for name in ("halves", "neighbours")]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("opwright emit silu_and_mul --arg x=f16[64]", "an operator's kernels take no --arg"),
        ("opwright emit silu_and_mul --dtype f64", "'f64' is not a data type"),
        ("opwright emit silu_and_mul --dtype i32", "the kernels of silu_and_mul take float16, bfloat16, float32"),
        ("opwright emit silu_and_mull", "silu_and_mul"),
        ("opwright emit hifloat8_stats", "hifloat8_stats states no kernel"),
    ],
)
def test_an_operator_is_refused(line: str, message: str) -> None:
    pytest.importorskip("torch", reason="torch is not installed")
    assert message in refused(line)


def test_the_command_is_installed() -> None:
    program = shutil.which("opwright", path=Path(sys.executable).parent)
    assert program is not None
    done = subprocess.run([program, *LINE.split()[1:]], capture_output=True, text=True, cwd=ROOT, check=True)
    assert done.stdout == opwright(LINE).stdout
    version = subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout
    from opwright import __version__

    assert version == f"opwright, version {__version__}\n"


def test_as_a_module() -> None:
    done = opwright(LINE, PYTHONHASHSEED="1")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == opwright(LINE).stdout
    for line in ("opwright emit README.md:vadd", LINE.replace("f16", "f17")):
        there, here = opwright(line, PYTHONHASHSEED="1"), opwright(line)
        assert (there.returncode, there.stderr) == (here.returncode, here.stderr)
        assert here.returncode != 0


@pytest.mark.quick
def test_another_directory(tmp_path: Path) -> None:
    path = ROOT / "examples" / "01_vector_add.py"
    assert opwright(with_arguments(f"{path}:vadd"), cwd=tmp_path).stdout == opwright(LINE).stdout
    assert list(tmp_path.iterdir()) == []


def test_soc_from_the_setting() -> None:
    line = LINE.replace("--soc ascend910b ", "").replace("f16", "bf16")
    assert "bfloat16_t" in opwright(line, OPWRIGHT_SOC="ascend950").stdout
    assert "asc.add does not take bfloat16 on ascend910b" in refused(line, OPWRIGHT_SOC="ascend910b")
    assert "'ascend951' is not one of" in refused(line, OPWRIGHT_SOC="ascend951")


@pytest.mark.quick
def test_without_arguments() -> None:
    error = refused(SHORT)
    assert "no value for x, y, z, block_length" in error
    assert LINE in [line.strip() for line in error.splitlines()]


@pytest.mark.quick
def test_with_some_arguments() -> None:
    error = refused(f"{SHORT} --arg x=f32[64] --arg block_length=8")
    assert "no value for y, z;" in error
    want = f"{SHORT} --arg x=f32[64] --arg y=f16[4096] --arg z=f16[4096] --arg block_length=8"
    assert want in [line.strip() for line in error.splitlines()]


@pytest.mark.quick
@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("opwright emit examples/none.py:vadd", "no file examples/none.py"),
        ("opwright emit examples:vadd", "no file examples"),
        ("opwright emit examples/01_vector_add.py", "'examples/01_vector_add.py' is not FILE.py:KERNEL"),
        ("opwright emit README.md:vadd", "README.md is not a Python file"),
        ("opwright emit examples/01_vector_add.py:vad", "has no kernel 'vad'; did you mean vadd?"),
        ("opwright emit examples/01_vector_add.py:zzz", "has no kernel 'zzz'; its kernels: vadd"),
        ("opwright emit examples/01_vector_add.py:main", "has no kernel 'main'"),
        ("opwright emit", "Missing argument 'FILE.py:KERNEL|OPERATOR'"),
        (with_arguments() + " --dtype f16", "--dtype is for operators"),
        ("opwright emmit", "No such command 'emmit'"),
        (with_arguments(x="f17[4096]"), "argument x: 'f17' is not a data type; did you mean f16?"),
        (with_arguments(x="4096"), "argument x is '4096': describe an array as TYPE[LENGTH], such as f16[4096]"),
        (with_arguments(x="f16[4.5]"), "argument x is 'f16[4.5]': describe an array"),
        (with_arguments(block_length="many"), "argument block_length must be int, got str 'many'"),
        (with_arguments(block_length="1.5"), "argument block_length must be int, got float 1.5"),
        (with_arguments(block_length="f16[4]"), "argument block_length must be int, got str 'f16[4]'"),
        (with_arguments(w="1"), "unknown argument w; for example:"),
        (with_arguments() + " --arg x=f16[1]", "--arg x is given twice"),
        (with_arguments() + " --arg x", "--arg x: write --arg NAME=VALUE"),
        (with_arguments(soc="ascend310"), "'ascend310' is not one of 'ascend910b'"),
        (with_arguments(x="f32[4096]"), "no form of asc.data_copy takes these arguments"),
        (with_arguments(x="bf16[64]", y="bf16[64]", z="bf16[64]"), "asc.add does not take bfloat16 on ascend910b"),
    ],
)
def test_refused(line: str, message: str) -> None:
    assert message in refused(line)


@pytest.mark.quick
def test_error_in_a_kernel_shows_its_line() -> None:
    error = refused(with_arguments(x="bf16[64]", y="bf16[64]", z="bf16[64]"))
    lines = (ROOT / "examples" / "01_vector_add.py").read_text(encoding="utf-8").splitlines()
    (number,) = [i for i, line in enumerate(lines, 1) if "asc.add(" in line]
    assert f"01_vector_add.py:{number}:9" in error
    assert f"{number} | {lines[number - 1]}" in error


KERNEL = """
@asc.jit
def fill(z: asc.GlobalAddress, n: int, value: float = 1.5, flag: bool = False, tile: asc.ConstExpr[int] = 64):
    z_gm = asc.GlobalTensor()
    z_gm.set_global_buffer(z, n)
    z_local = asc.LocalTensor(asc.float32, asc.TPosition.VECOUT, 0, tile)
    if flag:
        asc.duplicate(z_local, value, n)
    asc.data_copy(z_gm, z_local, n)
"""


@pytest.mark.quick
def test_numbers_truths_and_constants(tmp_path: Path) -> None:
    (tmp_path / "file.py").write_text(f"from opwright import asc\n{KERNEL}")
    line = "opwright emit file.py:fill --arg z=f32[64] --arg n=64"
    assert "z_local(AscendC::TPosition::VECOUT, 0, 64)" in opwright(line, cwd=tmp_path).stdout
    text = opwright(f"{line} --arg tile=128 --arg flag=True --arg value=2", cwd=tmp_path).stdout
    assert "z_local(AscendC::TPosition::VECOUT, 0, 128)" in text
    assert "float value, bool flag" in text
    assert "argument flag must be bool" in refused(f"{line} --arg flag=2", cwd=tmp_path)
    error = refused("opwright emit file.py:fill", cwd=tmp_path)
    assert "opwright emit file.py:fill --soc ascend910b --arg z=f16[4096] --arg n=512\n" in error


@pytest.mark.quick
def test_file_with_neighbours_and_dataclasses(tmp_path: Path) -> None:
    """Imports work as for `python FILE.py`, and so does what looks its own module up."""
    (tmp_path / "neighbour.py").write_text("VALUE = 2.5\n")
    (tmp_path / "json.py").write_text(
        "from __future__ import annotations\nimport dataclasses\nimport neighbour\nfrom opwright import asc\n"
        f"@dataclasses.dataclass\nclass Options:\n    size: int\n{KERNEL}"
    )
    done = opwright(f"opwright emit {tmp_path}/json.py:fill --arg z=f32[64] --arg n=64")
    assert done.returncode == 0, done.stderr
    assert "void fill(GM_ADDR z" in done.stdout


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("import asc\n\nx = 1 / 0\n", "file.py:1 failed: ModuleNotFoundError: No module named 'asc'"),
        ("x = 1\n\nx = 1 / 0\n", "file.py:3 failed: ZeroDivisionError"),
        ("def f(:\n", "failed: SyntaxError"),
        ("", "has no kernel 'fill'; its kernels: none"),
    ],
)
def test_file_that_fails(text: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "file.py").write_text(text)
    assert message in refused("opwright emit file.py:fill", cwd=tmp_path)


@pytest.mark.quick
@pytest.mark.parametrize("line", ["opwright --help", "opwright emit --help"])
def test_help(line: str, golden: Golden) -> None:
    done = opwright(line)
    assert done.returncode == 0
    golden(f"{line.replace(' ', '_').replace('-', '')}.txt", done.stdout)
    assert opwright(line.replace("--help", "-h")).stdout == done.stdout
