"""Every text is what a clang-based compiler for the NPU accepts, as far as a stock clang can tell.

Clang's CUDA device mode gives `__gm__` and `__aicore__` back their meaning; g++ forgives their loss, as the three wrong
texts show. What no compiler of ours refuses (names nobody knows, double, std::, statics) is looked for in the words.
"""

import re
import shutil
import subprocess
from collections.abc import Iterable, Sequence
from pathlib import Path

import pytest
from example_modules import example

from opwright.ascendc.dtypes import ELEMENTS
from opwright.ascendc.enums import ENUMS
from opwright.ascendc.kernel_types import KERNEL_TYPES
from opwright.ascendc.table import ROWS
from opwright.ascendc.traits import SetsFields
from opwright.emit.names import C_LIBRARY, RESERVED, Names
from opwright.emit.prelude import PRELUDE
from opwright.twin.build import core_flags

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
INCLUDE = ROOT / "src" / "opwright" / "twin" / "include"
GOLDEN = sorted((HERE / "golden").glob("*.cpp"))
# Kernels of the examples, with arguments to emit them for; helpers are emitted with the kernels that call them.
TILING = {"length": 5000, "per_core": 1024, "tile": 512, "scale": 2.0, "shift": 1.0}
EXAMPLES = {
    "01_vector_add.py:vadd": [("f16[4096]", "f16[4096]", "f16[4096]", 512), ("i32[64]", "i32[64]", "i32[64]", 8)],
    "02_vector_add_queues.py:vadd": [("f16[4096]", "f16[4096]", "f16[4096]", 512)],
    "02_vector_add_queues.py:forgets_to_free": [("f16[4096]", 2)],
    "02_vector_add_queues.py:forgets_to_take": [("f16[4096]",)],
    "04_find_the_race.py:forgets_to_wait": [("f32[4096]", "f32[4096]", 4)],
    "04_find_the_race.py:waits": [("f16[4096]", "f16[4096]", 4)],
    "03_tiling_struct.py:scale_shift": [("f32[5000]", "f32[5000]", TILING), ("f16[64]", "f16[64]", TILING)],
    "05_softmax.py:row_softmax": [("f32[3000]", "f32[3000]", 3, 1000)],
    "05_softmax.py:in_one_call": [("f32[256]", "f32[256]", {"src_m": 4, "src_k": 64})],
    "06_gather_sort.py:top_k": [("f32[256]", "i32[128]", "f32[256]", "i32[256]", 2)],
    "08_own_operator.py:kernel": [("f32[64]", "f32[64]", 64, 2.0)],
    "10_simt_histogram.py:histogram": [("u8[4096]", "i32[256]", 4096)],
    "10_simt_histogram.py:forgets_to_clear_first": [("u8[4096]", "i32[256]", 4096)],
    "10_simt_histogram.py:adds_without_atomics": [("u8[4096]", "i32[256]", 4096)],
    "11_simt_strided_copy.py:strided_copy": [("f32[1000]", "f32[1000]", 10, 100, 10, 1)],
    "11_simt_strided_copy.py:strided_copy_by_tiles": [("f16[1000]", "f16[1000]", 1000, 10, 10, 100, 10, 1)],
    "12_matmul_cube.py:matmul": [("f16[4096]", "f16[4096]", "f32[4096]", 64, 64, 64)],
    "13_matmul_leakyrelu_mix.py:matmul_leakyrelu": [
        ("f16[4096]", "f16[4096]", "f32[4096]", "f32[8192]", 64, 64, 64, 0.1)
    ],
}


def kernels_of(path: Path) -> list[str]:
    """Those that can be launched: a parameter of a kernel has an annotation, and nothing calls a kernel."""
    kinds = ("JitFunction", "SimtFunction")
    made = {name: value for name, value in vars(example(path)).items() if type(value).__name__ in kinds}
    text = path.read_text()
    return [name for name in made if not re.search(rf"(?<!def )\b{name}\(|vf_call\({name}\b", text)]


def texts() -> dict[str, str]:
    found = {path.stem: path.read_text() for path in GOLDEN}
    for place, calls in EXAMPLES.items():
        file, name = place.split(":")
        kernel = getattr(example(ROOT / "examples" / file), name)
        for number, arguments in enumerate(calls):
            values = [
                parameter.record(**value) if parameter.record else value
                for parameter, value in zip(kernel.binder.parameters, arguments, strict=True)
            ]
            soc = "ascend950" if "_simt_" in file else "ascend910b"
            found[f"{place}-{number}"] = kernel.emit(*values, soc=soc)
    return found


TEXTS = texts()


def test_every_example_is_looked_at() -> None:
    examples = {f"{path.name}:{name}" for path in (ROOT / "examples").glob("*.py") for name in kernels_of(path)}
    assert examples == set(EXAMPLES)


def tool(name: str) -> str:
    path = shutil.which(name)
    if path is None:
        pytest.skip(f"{name} is not installed")
    return path


STRICT = (
    "-x cuda --cuda-device-only -nocudainc -nocudalib -fsyntax-only -std=c++17 -DOPWRIGHT_STRICT "
    "-Wno-unknown-cuda-version -Wall -Wextra -Werror -Wno-unused-parameter -Wno-unused-variable "
    "-Wno-unused-but-set-variable"
).split()


def cores_of(text: str) -> list[list[str]]:
    """The flags for each kind of core that a text is compiled for."""
    marks = {kind.qualifier: kind for kind in KERNEL_TYPES.values()}
    found = re.search(rf"__global__ ({'|'.join(map(re.escape, marks))}) void", text)
    kernel_type = marks[found[1]] if found else KERNEL_TYPES[None]  # threads run it
    return [core_flags(kernel_type, kind) for kind in kernel_type.kinds]


def strict(text: str, folder: Path, core: Sequence[str] = ()) -> subprocess.CompletedProcess[str]:
    clang = tool("clang++")
    path = folder / "kernel.cpp"
    path.write_text(text)
    flat = ["-DOPWRIGHT_STRICT_FLAT"] if re.search(r'"simt_api/asc_(fp16|bf16)\.h"', text) else []
    command = [clang, *STRICT, *flat, *core, f"-I{INCLUDE}", path]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def forgiving(text: str, folder: Path) -> subprocess.CompletedProcess[str]:
    gcc = tool("g++")
    path = folder / "kernel.cpp"
    path.write_text(text)
    command = [gcc, "-std=c++17", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", f"-I{INCLUDE}", path]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def together(texts: Iterable[str], includes: Sequence[str]) -> str:
    """Texts that include the same headers as one: the headers take a compiler longer than a text."""
    bodies = ("\n".join(line for line in text.splitlines() if line not in includes) for text in texts)
    spaces = [
        f"namespace text_{number} {{\n{body}\n}}".replace('extern "C" ', "") for number, body in enumerate(bodies)
    ]
    return "\n".join([*includes, *spaces])


def groups() -> dict[tuple[tuple[str, ...], tuple[str, ...]], dict[str, str]]:
    """Texts by the kind of core and the headers that they include."""
    found: dict[tuple[tuple[str, ...], tuple[str, ...]], dict[str, str]] = {}
    for name, text in TEXTS.items():
        includes = tuple(line for line in text.splitlines() if line.startswith("#include"))
        for core in cores_of(text):
            found.setdefault((tuple(core), includes), {})[name] = text
    return found


GROUPS = groups()


@pytest.mark.parametrize("core, includes", GROUPS, ids=lambda words: " ".join(words) or "vector core")
def test_clang_as_for_a_device(core: tuple[str, ...], includes: tuple[str, ...], tmp_path: Path) -> None:
    texts = GROUPS[core, includes]
    if strict(together(texts.values(), includes), tmp_path, core).returncode == 0:
        return
    alone = {name: strict(text, tmp_path, core) for name, text in texts.items()}
    wrong = {name: done.stderr for name, done in alone.items() if done.returncode}
    assert wrong == {} and len(texts) == 1, "the texts are right one by one, but not together"


@pytest.mark.slow
@pytest.mark.parametrize("name", TEXTS)
def test_clang_one_by_one(name: str, tmp_path: Path) -> None:
    for core in cores_of(TEXTS[name]):
        done = strict(TEXTS[name], tmp_path, core)
        assert done.returncode == 0, done.stderr


WRONG = {
    "lost __gm__ in a C-style cast": (
        "SetGlobalBuffer",
        """\
#include "kernel_operator.h"

extern "C" __global__ __aicore__ void wrong(GM_ADDR x) {
    AscendC::GlobalTensor<half> x_gm;
    x_gm.SetGlobalBuffer((half*)x, 16);
}
""",
    ),
    "lost __gm__ in a reinterpret_cast": (
        "reinterpret_cast from",
        """\
#include "kernel_operator.h"

extern "C" __global__ __aicore__ void wrong(GM_ADDR x) {
    AscendC::GlobalTensor<half> x_gm;
    x_gm.SetGlobalBuffer(reinterpret_cast<half*>(x), 16);
}
""",
    ),
    "helper without __aicore__": (
        "__host__",
        """\
#include "kernel_operator.h"

inline int64_t twice(int64_t a) {
    return a + a;
}

extern "C" __global__ __aicore__ void wrong(GM_ADDR x, int64_t n) {
    AscendC::GlobalTensor<half> x_gm;
    x_gm.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(x), twice(n));
}
""",
    ),
    "method without __aicore__": (
        "__host__",
        """\
#include "kernel_operator.h"

struct Tiling {
    int64_t tiles;
    int64_t size() const { return tiles * 16; }
};

extern "C" __global__ __aicore__ void wrong(GM_ADDR x, int64_t n) {
    Tiling tiling;
    tiling.tiles = n;
    AscendC::GlobalTensor<half> x_gm;
    x_gm.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(x), tiling.size());
}
""",
    ),
    "function of threads without a qualifier": (
        "__host__",
        """\
#include "simt_api/asc_simt.h"

inline int64_t twice(int64_t a) {
    return a + a;
}

extern "C" __global__ __launch_bounds__(1024) void wrong(int64_t* x) {
    x[threadIdx.x] = twice(threadIdx.x);
}
""",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_texts_fail_here_and_only_here(name: str, tmp_path: Path) -> None:
    why, text = WRONG[name]
    done = strict(text, tmp_path)
    assert done.returncode != 0
    assert why in done.stderr
    assert forgiving(text, tmp_path).returncode == 0


def test_threads_get_the_memory_they_take(tmp_path: Path) -> None:
    text = re.sub(r"ub_pointer<float>\(y.GetPhyAddr\(\)\)", "gm_pointer<float>(x)", TEXTS["starts_threads_f32"])
    assert text != TEXTS["starts_threads_f32"]
    done = strict(text, tmp_path)
    assert done.returncode != 0 and "cannot initialize a parameter" in done.stderr


# Words --------------------------------------------------------------------------------------------------------

LANGUAGE = set(
    """
    alignas auto bool break const constexpr continue else extern false float for if inline int32_t int64_t
    const_cast reinterpret_cast return static_cast struct true uint32_t uint64_t void while GM_ADDR __aicore__
    __global__ __gm__ __vector__ __cube__ __mix__ __simt_vf__ __simt_callee__ __callee__ __launch_bounds__ __ubuf__
    gm_pointer ub_pointer
    dim3 assert AscendC tiling __builtin_huge_valf __builtin_nanf g_coreType AIC AIV
    """.split()
)
ROW_WORDS = {word for row in ROWS.values() for word in (row.cpp, *row.fields)} | {
    dtype.cpp.removeprefix("AscendC::") for dtype in ELEMENTS.values()
}
# What a form spells in a way of its own, and fields that it sets one by one.
ROW_WORDS |= {
    word
    for row in ROWS.values()
    for form in row.forms
    for text in (re.sub(r"\{\w+\}", "", form.text), *(form.get(SetsFields) or SetsFields()).fields.values())
    for word in re.findall(r"\w+", text)
}
ENUM_WORDS = {word for text in ENUMS.values() for word in re.findall(r"\w+", text.cpp)} | {
    text.spell(value).rpartition("::")[2] for text in ENUMS.values() for value in text.python
}
FORBIDDEN = re.compile(
    r"\bdouble\b|\bstd\b|\btry\b|\bcatch\b|\bthrow\b|\bstatic\b|\bthread_local\b|\bgoto\b|\bnew\b|\bdelete\b|\busing\b"
    r"|\bnamespace\b|\bvirtual\b|\boperator\b|\basm\b|\[\]"
)


def without_literals(text: str) -> str:
    return re.sub(r'"(?:[^"\\]|\\.)*"', '""', text)


def without_pointers(text: str) -> str:
    """The text without what threads' pointers are, where they are not those of the twin."""
    plain, found = re.subn(r"#ifndef OPWRIGHT_POINTERS\n(?:.+\n)+#endif\n\n", "", text)
    assert found == ("simt_api/" in text)
    return plain


def author_names(text: str) -> set[str]:
    """What the text declares itself."""
    structs = re.findall(r"^struct (\w+) \{", text, re.M)
    kinds = [
        "GM_ADDR",
        "float",
        "half",
        "bool",
        r"u?int\d+_t",
        "void",
        r"__gm__ \w+\*",
        r"AscendC::(?:tiling::)?\w+(?:<[\w:, ]+>)?",
        r"(?:gm|ub)_pointer<\w+>",
    ]
    declared = rf"(?:{'|'.join([*kinds, *structs])})(?:&? | \(&)(\w+)"
    return {*structs, *re.findall(declared, text)}


@pytest.mark.parametrize("name", TEXTS)
def test_words(name: str) -> None:
    own = without_pointers(TEXTS[name])
    text = without_literals(own)
    assert own.isascii()
    includes = re.findall(r"^\s*#.*$", own, re.M)
    threads = [f'#include "simt_api/asc_{which}.h"' for which in ("simt", "fp16", "bf16")]
    cores = ['#include "kernel_operator.h"']
    lists = ['#include "kernel_operator_list_tensor_intf.h"'] if "ListTensorDesc" in own else []
    assert includes in ([*cores, *lists], *([one] for one in threads), *([*cores, one] for one in threads))
    assert own.startswith("\n".join([*includes, "", ""]))
    assert not FORBIDDEN.search(text), FORBIDDEN.search(text)
    code = text.split("\n\n", 1)[1]
    words = set(re.findall(r"(?<![\w.])[A-Za-z_]\w*", code)) | set(re.findall(r"(?<=\.)[A-Za-z_]\w*", code))
    unknown = words - LANGUAGE - ROW_WORDS - ENUM_WORDS - set(PRELUDE) - author_names(code) - {"C"}
    assert unknown == set()


@pytest.mark.parametrize("name", TEXTS)
def test_form(name: str) -> None:
    """One statement to a line, helpers marked, no braces around values, no doubled brackets, float literals only."""
    plain = without_literals(without_pointers(TEXTS[name])).split("\n\n", 1)[1]
    text = re.sub(r"^struct \w+ \{\n(    [^\n{}]+;\n)+\};\n", "\n", plain, flags=re.M)
    functions = re.findall(r"^(\S.*\)) \{$", text, re.M)
    heads = r'extern "" __global__ (__(aicore|vector|cube)__|__mix__\(\d, \d\)|__launch_bounds__\(\d+\)) void '
    kernels = [line for line in functions if re.match(heads, line)]
    marks = r"(__aicore__|__simt_callee__|__callee__|__simt_vf__ __launch_bounds__\(\d+\)) inline "
    helpers = [line for line in functions if re.match(marks, line)]
    assert len(kernels) == 1 and len(kernels) + len(helpers) == len(functions)
    for helper in helpers:  # no recursion
        own = re.search(r"(\w+)\(", helper).group(1)  # type: ignore[union-attr]
        body = text.split(helper, 1)[1].split("\n}", 1)[0]
        assert not re.search(rf"\b{own}\(", body)
    for line in text.splitlines():
        statement = line.strip()
        if not statement:
            continue
        assert "((" not in statement or "static_cast" in statement or re.search(r"\(\([^()]*\) [&|^<>=!]", statement)
        if statement.startswith("for ("):
            assert statement.count(";") == 2 and statement.endswith(") {")
        elif statement.endswith(";"):
            # The values of an array, and those of a constant.
            plain = re.sub(r"^((constexpr )?[\w:<>]+ \w+(\[\d+\])? = )\{[^{}]*\};$", r"\1;", statement)
            plain = re.sub(r"\b(AscendC::tiling::\w+( \w+)?)\{[^{}]*\}", r"\1", plain)  # the fields of a struct
            assert plain.count(";") == 1 and "{" not in plain and "}" not in plain
        else:
            assert re.fullmatch(r"\}|(\} else )?if (\(.*\)|ASCEND_IS_AI[CV]) \{|\} else \{|\S.*\) \{", statement)
        assert (len(line) - len(statement)) % 4 == 0
        # A number with a point or an exponent is a float32, never a double; no array of run-time size.
        assert not re.search(r"(?<![\w.])(?:\d+\.\d*|\.\d+|\d+(?=e))(?:e[+-]?\d+)?(?![\dfe.+-])", statement), statement
        assert not re.search(r"\b(?:u?int\d+_t|float|bool) \w+\[(?!\d+\])", statement)


def macros(pattern: str) -> list[str]:
    compiler = shutil.which("g++") or tool("clang++")
    command = [compiler, "-std=c++17", "-x", "c++", "-dM", "-E", f"-I{INCLUDE}", INCLUDE / "kernel_operator.h"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return re.findall(rf"^#define ([A-Za-z]\w*){pattern}", done.stdout, re.M)


def test_no_macro_of_the_headers_can_be_a_name() -> None:
    """A name of the author's must not turn into something else in the preprocessor."""
    assert {name for name in macros(r"(?!\()\b") if Names().take(name) == name} == set()
    # With brackets after it there is only the kernel's own name.
    assert {name for name in macros(r"\(") if Names().take(name, RESERVED | C_LIBRARY) == name} == set()


# Stack --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name", ["vector_calls_f16", "conditions", "loops", "numbers", "texts", "buffers", "01_vector_add.py:vadd-0"]
)
def test_stack_is_bounded(name: str, tmp_path: Path) -> None:
    """An AI core has 32 KB of it; every function of the twin's build stays below."""
    gcc = tool("g++")
    path = tmp_path / "kernel.cpp"
    path.write_text(TEXTS[name])
    command = [gcc, "-std=c++17", "-O2", "-fwrapv", "-fno-exceptions", "-fstack-usage", "-c", f"-I{INCLUDE}", path]
    subprocess.run([*command, "-o", tmp_path / "kernel.o"], check=True, cwd=tmp_path)
    lines = (tmp_path / "kernel.su").read_text().splitlines()
    used = {line.split("\t")[0]: (int(line.split("\t")[1]), line.split("\t")[2]) for line in lines}
    assert used
    assert all(kind in ("static", "dynamic,bounded") for _, kind in used.values()), used
    assert sum(size for size, _ in used.values()) < 32 * 1024, used
