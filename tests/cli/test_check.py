"""`opwright check`: the report, exit codes, JSON, SARIF, and arrays made of descriptions."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import click
import numpy as np
import pytest

from opwright.ascendc.dtypes import DTYPES
from opwright.cli._arrays import read_array
from opwright.kernel.arguments import ArgumentBinder
from opwright.kernel.parameters import Parameter

Run = Callable[..., subprocess.CompletedProcess[str]]
OnTerminal = Callable[[list[str]], tuple[int, str]]
Golden = Callable[[str, str], None]
ROOT = Path(__file__).parents[2]
EXAMPLE = "examples/04_find_the_race.py"
ARRAYS = ("--arg", "x=f32[4096]", "--arg", "z=f32[4096]", "--arg", "tiles=4")

KERNELS = """\
from dataclasses import dataclass

from opwright import asc


@dataclass
class Plan:
    count: int
    factor: float = 1.0


@asc.jit
def prints(x: asc.GlobalAddress, i: asc.GlobalAddress, plan: Plan):
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x)
    i_gm = asc.GlobalTensor()
    i_gm.set_global_buffer(i)
    for k in range(plan.count):
        asc.printf("%f %d\\n", x_gm.get_value(k), i_gm.get_value(k))


@asc.jit
def copies(x: asc.GlobalAddress, z: asc.GlobalAddress):
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x)
    z_gm = asc.GlobalTensor()
    z_gm.set_global_buffer(z)
    a = asc.LocalTensor(x.dtype, asc.TPosition.VECCALC, 0, 64)
    asc.data_copy(a, x_gm[asc.get_block_idx() * 64 :], 64)
    asc.set_flag(asc.HardEvent.MTE2_MTE3)
    asc.wait_flag(asc.HardEvent.MTE2_MTE3)
    asc.data_copy(z_gm[asc.get_block_idx() * 64 :], a, 64)


@asc.jit
def adds_bytes():
    tile = asc.LocalTensor(asc.int8, asc.TPosition.VECCALC, 0, 64)
    asc.add(tile, tile, tile, 64)
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "kernels.py"
    path.write_text(KERNELS)
    return path


def test_a_finding_in_words(run: Run) -> None:
    done = run("check", f"{ROOT}/{EXAMPLE}:forgets_to_wait", *ARRAYS)
    assert (done.returncode, done.stderr) == (1, "")
    assert done.stdout.startswith("forgets_to_wait on 1 core of ascend910b: 1 finding\n\nerror: RaceError: ")
    assert "asc.data_copy(x_local, x_gm[tile * TILE :], TILE)\n" in done.stdout
    assert "hint: no flag from V to MTE2 from line " in done.stdout
    assert done.stdout.rstrip().endswith("1 more follows from it")
    assert "\x1b[" not in done.stdout


def test_nothing_found(run: Run) -> None:
    done = run("check", f"{ROOT}/{EXAMPLE}:waits", *ARRAYS)
    assert (done.returncode, done.stdout, done.stderr) == (0, "waits on 1 core of ascend910b: nothing found\n", "")


def test_other_orders(run: Run) -> None:
    done = run("check", f"{ROOT}/{EXAMPLE}:forgets_to_wait", *ARRAYS, "--perturb", "16")
    assert done.returncode == 1
    assert "error: ScheduleDependent: " in done.stdout and "runs this order again" in done.stdout
    done = run("check", f"{ROOT}/{EXAMPLE}:waits", *ARRAYS, "--perturb", "16")
    assert (done.returncode, done.stdout) == (0, "waits on 1 core of ascend910b: nothing found\n")


def test_one_order_again(run: Run) -> None:
    """The seed that a finding names runs that order alone."""
    words = ("check", f"{ROOT}/{EXAMPLE}:forgets_to_wait", *ARRAYS, "--perturb")
    differs = {
        seed: f"in the order of seed {seed} (1 of 1 orders differ)"
        in run(*words, "1", "--perturb-seed", str(seed)).stdout
        for seed in range(8)
    }
    together = re.search(r"\((\d+) of 8 orders differ\)", run(*words, "8").stdout)
    assert together is not None and sum(differs.values()) == int(together[1])
    later = run(*words, "8", "--perturb-seed", "100").stdout
    assert re.search(r"in the order of seed 10\d ", later)


def test_memory(run: Run) -> None:
    arrays = [word for name in "xyz" for word in ("--arg", f"{name}=f16[512]")]
    done = run(
        "check", f"{ROOT}/examples/02_vector_add_queues.py:vadd", *arrays, "--arg", "block_length=512", "--memory"
    )
    assert done.returncode == 0
    assert re.search(r"queue_y +38 +UB +8192 +16384 +8192 +2 of 4096", done.stdout)
    assert re.search(r"ascend950 +UB +24576 of 253952 +229376 left", done.stdout)


def test_json(run: Run, tmp_path: Path) -> None:
    done = run("check", f"{ROOT}/{EXAMPLE}:forgets_to_wait", *ARRAYS, "--json", "-")
    assert (done.returncode, done.stderr) == (1, "")
    report = json.loads(done.stdout)
    assert [finding["class"] for finding in report["findings"]] == ["RaceError"]
    written = run("check", f"{ROOT}/{EXAMPLE}:forgets_to_wait", *ARRAYS, "--json", f"{tmp_path}/report.json")
    assert (tmp_path / "report.json").read_text() == done.stdout
    assert written.stdout.startswith("forgets_to_wait on 1 core")


def test_sarif(run: Run, tmp_path: Path) -> None:
    """Both files at once; a finding names its file relative to the folder in which the command runs."""
    here = os.path.relpath(ROOT / EXAMPLE)
    words = ("--sarif", f"{tmp_path}/report.sarif", "--json", f"{tmp_path}/report.json")
    assert run("check", f"{here}:forgets_to_wait", *ARRAYS, *words).returncode == 1
    log = json.loads((tmp_path / "report.sarif").read_text())
    findings = json.loads((tmp_path / "report.json").read_text())["findings"]
    results = log["runs"][0]["results"]
    assert [r["ruleId"] for r in results] == [finding["class"] for finding in findings]
    if ROOT == Path.cwd():
        assert results[0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == EXAMPLE


def test_arrays_are_made_of_descriptions(run: Run, file: Path) -> None:
    """Normal numbers and small integers, the same for the same seed; a struct field by field."""
    words = ("check", f"{file}:prints", "--arg", "x=f32[500]", "--arg", "i=i32[500]", "--arg", "plan.count=500")
    printed = run(*words).stdout
    numbers = np.array([line.split() for line in printed.splitlines()[:500]], float)
    floats, integers = numbers.T
    assert abs(floats.mean()) < 0.2 and 0.8 < floats.std() < 1.2
    assert set(integers) == set(range(8))
    assert run(*words).stdout == printed == run(*words, "--seed", "0").stdout
    assert run(*words, "--seed", "1").stdout != printed


@pytest.mark.parametrize("length", [1 << 45, 1 << 60, 1 << 70])
@pytest.mark.parametrize("contents", ["", ":zeros", ":0..3"])
def test_an_array_that_has_no_room(length: int, contents: str, run: Run, file: Path) -> None:
    done = run(
        "check", f"{file}:prints", "--arg", "x=f32[4]", "--arg", f"i=i32[{length}]{contents}", "--arg", "plan.count=4"
    )
    assert done.returncode == 2 and "Traceback" not in done.stderr
    assert f"--arg i=i32[{length}]: not enough memory for {length} elements" in " ".join(done.stderr.split())


def test_arrays_say_what_they_hold(run: Run, file: Path) -> None:
    """From a file, zeros, ones, counting, and integers of a range."""
    np.save(file.parent / "x.npy", np.array([[1.5, -2.5], [3.5, 4.5]], ">f4"))
    words = ("check", f"{file}:prints", "--arg", "plan.count=4")

    def printed(x: str, i: str) -> list[list[float]]:
        done = run(*words, "--arg", f"x={x}", "--arg", f"i={i}")
        assert done.returncode == 0, done.stderr
        return np.array([line.split() for line in done.stdout.splitlines()[:4]], float).T.tolist()

    assert printed(f"@{file.parent}/x.npy", "i32[4]:arange") == [[1.5, -2.5, 3.5, 4.5], [0, 1, 2, 3]]
    assert printed("f32[4]:arange", "i32[4]:7..7") == [[0, 1, 2, 3], [7, 7, 7, 7]]
    assert printed("f32[4]:zeros", "i32[4]:ones") == [[0, 0, 0, 0], [1, 1, 1, 1]]
    assert set(printed("f32[4]:ones", "i32[4]:-30..-20")[1]) <= set(range(-30, -19))


@pytest.mark.quick
@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("f32[64]:banana", "an array is f32[64] (random), f32[64]:zeros,"),
        ("f32[64]:0..9", "a range LOW..HIGH is for integers, and float32 is not an integer"),
        ("i8[64]:0..200", "0..200 does not fit int8, which has -128..127"),
        ("i8[64]:9..0", "the range 9..0 is empty; write 0..9"),
        ("i8[200]:arange", "arange goes to 199, and the largest int8 is 127"),
        ("f16[70000]:arange", "arange goes to 69999, and the largest float16 is 65504"),
        ("@none.npy", "--arg x=@none.npy: No such file or directory"),
        ("@text.npy", "is not an array that numpy.save wrote"),
        ("@objects.npy", "is not an array that numpy.save wrote"),
        ("@double.npy", "has elements of float64; a file may have int8, "),
    ],
)
def test_an_array_that_cannot_be_made(text: str, complaint: str, tmp_path: Path) -> None:
    (tmp_path / "text.npy").write_text("1 2 3")
    np.save(tmp_path / "objects.npy", np.array([None]), allow_pickle=True)
    np.save(tmp_path / "double.npy", np.zeros(4))
    with pytest.MonkeyPatch.context() as patch, pytest.raises(click.UsageError) as caught:
        patch.chdir(tmp_path)
        array = read_array("x", text)
        described = ArgumentBinder("k", (Parameter("x", "address"),)).bind((array,), {}, described=True)
        array.made("x", DTYPES[described.kinds[0]], np.random.default_rng(0))
    assert complaint in re.sub(r"\s+", " ", str(caught.value))


def test_what_a_kernel_prints_stays_out_of_the_json(run: Run, file: Path) -> None:
    """A6: nor what its file prints when it is imported."""
    words = ("--arg", "x=f32[8]", "--arg", "i=u8[8]", "--arg", "plan.count=8", "--json", "-")
    file.write_text(f"print('imported')\n{KERNELS}")
    done = run("check", f"{file}:prints", *words)
    assert json.loads(done.stdout)["findings"] == []
    assert len(done.stderr.splitlines()) == 9


@pytest.mark.parametrize("dtype", ["f16", "bf16", "u64", "i8"])
def test_element_types(dtype: str, run: Run, file: Path) -> None:
    if dtype == "bf16":
        pytest.importorskip("ml_dtypes", reason="ml_dtypes is not installed")
    done = run("check", f"{file}:copies", "--arg", f"x={dtype}[256]", "--arg", f"z={dtype}[256]", "--cores", "4")
    assert (done.returncode, done.stdout, done.stderr) == (0, "copies on 4 cores of ascend910b: nothing found\n", "")


def test_soc(run: Run, file: Path) -> None:
    words = ("check", f"{file}:copies", "--arg", "x=f32[64]", "--arg", "z=f32[64]")
    assert run(*words, "--soc", "ascend950").stdout == "copies on 1 core of ascend950: nothing found\n"
    assert run(*words, OPWRIGHT_SOC="ascend950").stdout == "copies on 1 core of ascend950: nothing found\n"


def test_what_ends_a_core_is_in_the_report(run: Run, file: Path) -> None:
    done = run("check", f"{file}:copies", "--arg", "x=f32[256]", "--arg", "z=f32[32]")
    assert done.returncode == 1 and "error: OutOfRange: copies, core 0: " in done.stdout


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("--arg", "x=f32[64]"), "no value for z; for example:\n\n  opwright check "),
        (("--arg", "x=f32[64]", "--arg", "z=3"), "describe an array as TYPE[LENGTH]"),
        (("--arg", "x=f31[64]:0..9", "--arg", "z=f32[64]"), "'f31' is not a data type; did you mean f32?"),
        (("--arg", "x=f32[64]", "--arg", "z=f32[64]", "--cores", "0"), "0 is not in the range 1<=x<=65535"),
        (("--arg", "x=f32[64]", "--arg", "z=f32[64]", "--seed", "-1"), "-1 is not in the range x>=0"),
        (("--sarif", "-", "--json", "-"), "only one of them can go to standard output"),
        (("--arg", "x=f32[64]", "--arg", "z=f32[64]", "--json", "/no/such/folder/a.json"), "No such file or directory"),
    ],
)
def test_a_wrong_command_line(words: tuple[str, ...], complaint: str, run: Run, file: Path) -> None:
    done = run("check", f"{file}:copies", *words)
    assert complaint in done.stderr and done.returncode == (1 if "/no/such/folder/a.json" in words else 2)
    assert done.stdout == ""


def test_a_kernel_that_cannot_be_compiled(run: Run, file: Path) -> None:
    """It is a finding: the files have it, too."""
    log, report = file.parent / "report.sarif", file.parent / "report.json"
    done = run("check", f"{file}:adds_bytes", "--json", str(report), "--sarif", str(log), "--memory")
    assert (done.returncode, done.stderr) == (1, "")
    words = "asc.add does not take int8 on ascend910b"
    assert done.stdout.startswith(f"adds_bytes on 1 core of ascend910b: 1 finding\n\nerror: WrongDtype: {words}")
    line = KERNELS.splitlines().index("    asc.add(tile, tile, tile, 64)") + 1
    assert f"--> {file}:{line}:" in done.stdout and "\nhint: on ascend910b it takes " in done.stdout
    (finding,) = json.loads(report.read_text())["findings"]
    assert (finding["class"], finding["severity"], finding["line"]) == ("WrongDtype", "error", line)
    assert finding["message"].startswith(words) and finding["hint"].startswith("on ascend910b it takes ")
    (tool,) = json.loads(log.read_text())["runs"]
    (result,) = tool["results"]
    assert result["ruleId"] == tool["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == "WrongDtype"
    assert result["message"]["text"].startswith(f"adds_bytes: {words}")


def test_colour_on_a_terminal_only(on_terminal: OnTerminal) -> None:
    """Nothing is cut or wrapped, and without the colours it is what a file gets."""
    command = [sys.executable, "-m", "opwright.cli", "check", f"{ROOT}/{EXAMPLE}:forgets_to_wait", *ARRAYS]
    plain = subprocess.run(command, capture_output=True, text=True, check=False).stdout
    code, coloured = on_terminal(command)
    assert code == 1
    assert "\x1b[1;31merror: RaceError\x1b[0m" in coloured and "\x1b[32mhint: " in coloured
    assert re.sub(r"\x1b\[[\d;]*m", "", coloured) == plain


def test_a_kernel_has_no_arguments_of_a_script(run: Run) -> None:
    done = run("check", f"{ROOT}/{EXAMPLE}:forgets_to_wait", "--", "--size", "3")
    assert done.returncode == 2 and not done.stdout
    assert "--size 3: only a script (FILE.py) takes its own arguments" in re.sub(r"\s+", " ", done.stderr)
    assert "'absent.py' is not FILE.py:KERNEL" in run("check", "absent.py", "--", "3").stderr


def test_help_text(run: Run, golden: Golden) -> None:
    golden("opwright_check_help.txt", run("check", "--help", COLUMNS="80").stdout)


SCRIPT = """\
import sys
import threading

import numpy as np

import kernels


def main():
    x, z = np.ones(256, np.float32), np.zeros(256, np.float32)
    for turn in range(3):
        kernels.copies[4](x, z)
    print("copied", z.sum(), sys.argv[1:])
    kernels.races[1](x, z)
    print("went on")
    thread = threading.Thread(target=kernels.copies[4], args=(x, z))
    thread.start()
    thread.join()
    kernels.copies[8](x, z)
    print("not reached")


if __name__ == "__main__":
    main()
"""


def test_a_script(run: Run, file: Path) -> None:
    """Every launch, also of a thread; a race does not end it, what ends a plain launch does."""
    races = KERNELS[KERNELS.index("@asc.jit\ndef copies") : KERNELS.index("@asc.jit\ndef adds_bytes")]
    races = re.sub(r"    asc.(set|wait)_flag.*\n", "", races.replace("def copies", "def races"))
    file.write_text(KERNELS + "\n\n" + races)
    script = file.parent / "script.py"
    script.write_text(SCRIPT)
    done = run("check", str(script), "--sarif", f"{file.parent}/report.sarif")
    assert done.returncode == 1
    assert done.stdout.startswith(
        "copied 256.0 []\nwent on\n"
        f"{script}:12, 3 launches: copies on 4 cores of ascend910b: nothing found\n\n"
        f"{script}:14: races on 1 core of ascend910b: 1 finding\n\nerror: RaceError: races, core 0: "
    )
    assert ": copies on 4 cores of ascend910b: nothing found\n\n" in done.stdout.partition("RaceError")[2]
    assert f"{script}:19: copies on 8 cores of ascend910b: 1 finding\n\nerror: OutOfRange: " in done.stdout
    assert done.stdout.endswith(f"\n{script}: 6 launches, 2 with errors\n")
    assert "not reached" not in done.stdout and done.stderr.startswith(f"{script} was ended by OutOfRange: ")
    results = json.loads((file.parent / "report.sarif").read_text())["runs"][0]["results"]
    assert [result["ruleId"] for result in results] == ["RaceError", "OutOfRange"]

    done = run("check", str(script), "--json", "-", "--soc", "ascend950")
    report = json.loads(done.stdout)
    assert (done.returncode, report["script"]) == (1, str(script))
    first, race, *_ = report["launches"]
    assert (first["launched_from"], first["times"], first["soc"]) == (
        {"file": str(script), "line": 12},
        3,
        "ascend950",
    )
    assert [finding["class"] for finding in race["findings"]] == ["RaceError"]
    assert "OutOfRange" in report["failure"] and "went on" in done.stderr


def test_a_script_of_the_examples(run: Run) -> None:
    """Launches that the script itself checks raise as ever; the exit code is that of all launches."""
    done = run("check", f"{ROOT}/{EXAMPLE}")
    assert done.returncode == 1 and "but a chip may do otherwise:\n" in done.stdout
    assert done.stdout.endswith(f"{EXAMPLE}: 4 launches, 2 with errors\n")


@pytest.mark.parametrize(
    ("text", "words", "complaint", "code"),
    [
        ("print('none')", (), "", 0),
        ("import sys; sys.exit(3)", (), "SystemExit: 3", 1),
        ("import sys; sys.exit()", (), "", 0),
        ("1 / 0", (), "line 1, in <module>", 1),
        ("import sys; sys.exit(str(sys.argv))", ("--", "--size", "3"), "['script.py', '--size', '3']", 1),
        ("", ("--size", "3"), "No such option", 2),
        ("", ("--cores", "2"), "--cores: script.py is a script, which makes its own launches", 2),
        ("", ("--arg", "x=1"), "--arg: script.py is a script, which makes its own launches", 2),
    ],
)
def test_scripts_without_a_launch(text: str, words: tuple[str, ...], complaint: str, code: int, tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text(text)
    command = [sys.executable, "-m", "opwright.cli", "check", "script.py", *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path, timeout=60)
    assert done.returncode == code
    assert complaint in re.sub(r"\s+", " ", done.stderr) and "opwright" not in done.stderr.replace("opwright check", "")
    assert code == 2 or done.stdout.endswith("script.py: no launch\n")
