"""Entries of operators in the C ABI, generated from their schemas.

In: a schema, the host functions as Python, the operator's kernels and its own C++. Out: one text of C++ for an
operator, which has its entry as `opwright::entries::<name>::self`, and the text of the table. Refuses types of
arguments that the ABI does not have.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

from opwright._version import __version__
from opwright.host.compiler.compile import compile_infer
from opwright.host.kinds import kinds_of
from opwright.native.kernels import BuiltKernel, declared_text, kernels_text
from opwright.native.stated import Stated
from opwright.schema import Argument, Schema
from opwright.schema.dtypes import Dtype
from opwright.store.operator_files import Parts

# Kinds of the ABI by the type of an argument.
KINDS = {
    "Tensor": "TENSOR",
    "int": "INTEGER",
    "SymInt": "INTEGER",
    "float": "NUMBER",
    "bool": "BOOL",
    "str": "TEXT",
    "ScalarType": "DTYPE",
    "Device": "DEVICE",
    "Generator": "GENERATOR",
    "Scalar": "SCALAR",
    "Tensor[]": "TENSORS",
    "int[]": "INTEGERS",
    "SymInt[]": "INTEGERS",
    "float[]": "NUMBERS",
    "bool[]": "BOOLS",
}
_LISTS = {"INTEGERS": ("int64_t", "integers"), "NUMBERS": ("double", "numbers"), "BOOLS": ("uint8_t", "bools")}

_ENTRY = """\
namespace opwright::entries::{name} {{

extern const OpwrightOperator self;
namespace functions = host_functions::{name};

{arguments}
{kernels}
static int32_t inferred(OpwrightCall* call, OpwrightError* error, entry::Then then) {{
    const auto infer = [](const auto& given, host::Tensor* results) {{ functions::infer_from(given, results); }};
    return entry::inferred<functions::kResults>(self, functions::kArguments, infer, call, error, then);
}}

// Who computes it, in the order in which they are asked.
static const entry::Way ways[] = {{
{ways}
}};

// The first is that of all ways together.
static const entry::Work works[] = {{
    {{self, inferred, ways, {way_count}}},
{works}
}};

static int32_t infer(OpwrightCall* call, OpwrightError* error) {{ return entry::infer(works[0], call, error); }}

template <int kWork>
int32_t plan(OpwrightCall* call, OpwrightError* error) {{
    return entry::plan(works[kWork], call, error);
}}

template <int kWork>
int32_t run(const OpwrightCall* call, int64_t begin, int64_t end, OpwrightError* error) {{
    return entry::run(works[kWork], call, begin, end, error);
}}

template <int kWork>
constexpr OpwrightOperator entry_of(const char* provider, int32_t count, const OpwrightOperator* const* providers) {{
    return {{sizeof(OpwrightOperator), sizeof(OpwrightArgument), {qualified}, {schema},
            {argument_count}, {result_count}, arguments, infer, plan<kWork>, run<kWork>, provider, count, providers}};
}}

{providers}
static const OpwrightOperator* const providers[] = {{{provider_list}}};

const OpwrightOperator self = entry_of<0>("", {way_count}, providers);

}}  // namespace opwright::entries::{name}
"""


def operator_text(
    schema: Schema, stated: Stated, kernels: Sequence[BuiltKernel], levels: Sequence[int], path: Path, parts: Parts
) -> str:
    """The C++ of one operator. levels: instruction sets of its kernels."""
    name = schema.name
    infer, launch = cast(Any, stated.functions["infer"]), cast(Any, stated.functions.get("launch"))
    compiled = compile_infer(name, infer, kinds_of(schema), len(schema.results), launch)
    # By provider: plan, run, and whether results must lie apart from arguments. The first that takes a call serves it;
    # one order is the fastest for every dtype and size (benchmarks/providers.py).
    ways = {
        **({"native": f"opwright::{name}::plan, opwright::{name}::run, false"} if parts.cpp else {}),
        **({"kernel": "plan_kernel, run_kernel, true"} if kernels else {}),
    }
    numbered = list(enumerate(ways, start=1))
    entry = _ENTRY.format(
        name=name,
        kernels=kernels_text(kernels, levels) if kernels else "",
        ways="\n".join(f"    {{{way}}}," for way in ways.values()),
        way_count=len(ways),
        works="\n".join(f"    {{self, inferred, ways + {i - 1}, 1}}," for i, _ in numbered),
        providers="\n".join(
            f'static const OpwrightOperator by_{provider} = entry_of<{i}>("{provider}", 0, nullptr);'
            for i, provider in numbered
        ),
        provider_list=", ".join(f"&by_{provider}" for provider in ways),
        arguments=_arguments(schema.arguments),
        qualified=json.dumps(schema.qualified),
        schema=_quoted(str(schema)),
        argument_count=len(schema.arguments),
        result_count=len(schema.results),
    )
    # What the compiler complains of is shown where it can be fixed.
    own = f'#line {parts.cpp_line} "{path}"\n{parts.cpp}\n' if parts.cpp else ""
    declared = f'#include "opwright/kernel.h"\n{declared_text(kernels, levels)}' if kernels else ""
    return f'#include "opwright/entry.h"\n{declared}{compiled}\n{own}#line 1 "entry of {name}"\n{entry}'


def table_text(schemas: Sequence[Schema]) -> str:
    """The C++ of the table."""
    names = sorted(schema.name for schema in schemas)
    declared = "\n".join(f"namespace {name} {{ extern const OpwrightOperator self; }}" for name in names)
    listed = ", ".join(f"&{name}::self" for name in names)
    return f"""\
#include "opwright/abi.h"

namespace opwright::entries {{

{declared}

extern const OpwrightOperator* const operators[];
extern const int32_t operator_count;
extern const char* const version;

const OpwrightOperator* const operators[] = {{{listed}}};
const int32_t operator_count = {len(names)};
const char* const version = {json.dumps(__version__)};

}}  // namespace opwright::entries
"""


def _arguments(arguments: Sequence[Argument]) -> str:
    """The array of arguments, behind the arrays that their defaults point to."""
    lists, lines = [], []
    for argument in arguments:
        if argument.kind not in KINDS:
            raise ValueError(f"{argument.name} is {argument.type}, which the C ABI does not have")
        kind = KINDS[argument.kind]
        named = {
            "OPWRIGHT_IS_OPTIONAL": argument.is_optional,
            "OPWRIGHT_HAS_DEFAULT": argument.has_default,
            "OPWRIGHT_IS_KEYWORD_ONLY": argument.keyword_only,
            "OPWRIGHT_IS_WRITTEN": argument.is_written,
        }
        flags = " | ".join(flag for flag, is_set in named.items() if is_set) or "0"
        default = argument.default if argument.has_default else None
        if isinstance(default, tuple) and default:
            items = ", ".join(_number(one) for one in default)
            lists.append(f"static const {_LISTS[kind][0]} default_{argument.name}[] = {{{items}}};\n")
        value = _default(argument.name, kind, default)
        lines.append(f"    {{{json.dumps(argument.name)}, OPWRIGHT_{kind}, {flags}, {value}}},\n")
    return f"{''.join(lists)}static const OpwrightArgument arguments[] = {{\n{''.join(lines)}}};\n"


def _default(name: str, kind: str, value: object) -> str:
    if value is None:
        return "entry::default_none()"
    if isinstance(value, tuple):
        place = f"default_{name}" if value else "nullptr"
        return f"entry::default_{_LISTS[kind][1]}({place}, {len(value)})"
    if isinstance(value, str):
        return f"entry::default_text({_quoted(value)}, {len(value.encode())})"
    if isinstance(value, Dtype):
        return f"entry::default_dtype({value.code}, {value.bits})"
    if isinstance(value, float) or kind == "NUMBER":
        return f"entry::default_number({_number(value)})"
    of_bool = isinstance(value, bool)
    return f"entry::default_integer(OPWRIGHT_{'BOOL' if of_bool else 'INTEGER'}, {_number(value)})"


def _number(value: object) -> str:
    if isinstance(value, float):
        return value.hex()
    number = int(cast(int, value))
    return f"INT64_C({number})" if number > -(2**63) else "INT64_MIN"


def _quoted(text: str) -> str:
    """A literal of C++: what is not printable in ASCII as three octal digits."""
    bytes_ = text.encode()
    plain = (chr(b) if 32 <= b < 127 and chr(b) not in '"\\' else f"\\{b:03o}" for b in bytes_)
    return f'"{"".join(plain)}"'
