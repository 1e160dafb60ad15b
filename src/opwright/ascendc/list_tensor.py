"""Rows: lists of tensors, which a kernel finds in global memory."""

from __future__ import annotations

from opwright.ascendc.dtypes import DTYPES
from opwright.ascendc.row import Form, Row, dtypes

TASK, SHORT = "Host", "Lists of tensors"
_T = {"T": dtypes(a2=tuple(DTYPES), a5=tuple(DTYPES))}
_WORDS = ("uint8", "uint64")
_WHY = "a list of tensors is an array of uint64, or its bytes"
_LISTS = {"T": dtypes(a2=_WORDS, a5=_WORDS, why={name: _WHY for name in DTYPES if name not in _WORDS})}
_MAX = (1 << 32) - 1
_HEADER = "kernel_operator_list_tensor_intf.h"
_DATA = f"data: address T, length: uint32 = {_MAX}, shape_size: uint32 = {_MAX}"
_LAYOUT = (
    "assumed(words of 8 bytes: the byte at which the addresses start; for each tensor its number of dimensions and, "
    "from bit 32 on, its index, then its extents; then the addresses. Documentation leaves ascend950 out; its headers "
    "have the calls)"
)
_LIST = (
    "The list is at `data`: asc.list_of_tensors makes one. length, in bytes, and shape_size, how many tensors it has, "
)
_LIST += "are tested if they are given. The tensors must be arguments of the kernel too, or they cannot be touched."


def _number(name: str, cpp: str, doc: str, parameters: str = "") -> Row:
    """A row for a number that describes a tensor of a list."""
    return Row(
        f"TensorDesc.{name}",
        cpp,
        doc,
        forms=(Form(f"self: object TensorDesc T{parameters}", result="integer"),),
        dtypes=_T,
        effect="reads",
        nonnegative=True,
        exactness=_LAYOUT,
        example=f"number = desc.{name}({'1' if parameters else ''})",
    )


ROWS = (
    Row(
        "ListTensorDesc",
        "ListTensorDesc",
        f"A list of tensors in global memory, or one that gets its place by init. {_LIST}",
        forms=(
            Form("", result="object ListTensorDesc"),
            Form(_DATA, result="object ListTensorDesc", dtypes=_LISTS),
        ),
        effect="object",
        exactness=_LAYOUT,
        header=_HEADER,
        example="several = asc.ListTensorDesc(l)",
    ),
    Row(
        "ListTensorDesc.init",
        "Init",
        f"Says where the list is. {_LIST}",
        forms=(Form(f"self: object ListTensorDesc, {_DATA}"),),
        dtypes=_LISTS,
        exactness=_LAYOUT,
        example="tensors.init(l)",
    ),
    Row(
        "ListTensorDesc.get_size",
        "GetSize",
        "How many tensors there are.",
        forms=(Form("self: object ListTensorDesc", result="integer"),),
        effect="reads",
        nonnegative=True,
        exactness=_LAYOUT,
        example="number = tensors.get_size()",
    ),
    Row(
        "ListTensorDesc.get_desc",
        "GetDesc",
        "Describes the tensor `index`: its extents go to the array that set_shape_addr named.",
        forms=(Form("self: object ListTensorDesc, desc: object TensorDesc T, index: uint32"),),
        dtypes=_T,
        exactness=_LAYOUT,
        example="tensors.get_desc(desc, 0)",
    ),
    Row(
        "ListTensorDesc.get_data_ptr",
        "GetDataPtr",
        "The address of the tensor `index`.",
        forms=(Form("self: object ListTensorDesc, index: uint32, dtype: template dtype T", result="address T"),),
        dtypes=_T,
        effect="reads",
        exactness=_LAYOUT,
        example="x_gm.set_global_buffer(tensors.get_data_ptr(0, asc.float32), 128)",
    ),
    Row(
        "TensorDesc",
        "TensorDesc",
        "The description of a tensor that ListTensorDesc.get_desc gives.",
        forms=(Form("dtype: template dtype T = float32", result="object TensorDesc T"),),
        dtypes=_T,
        effect="object",
        header=_HEADER,
        example="another_desc = asc.TensorDesc(asc.float32)",
    ),
    Row(
        "TensorDesc.set_shape_addr",
        "SetShapeAddr",
        "The array that receives the extents; it must hold as many as the tensor has.",
        forms=(
            Form(
                "self: object TensorDesc T, shape_ptr: array uint64 any",
                text="{self}.SetShapeAddr({shape_ptr})",
            ),
        ),
        dtypes=_T,
        header=_HEADER,
        example="another_desc = asc.TensorDesc(asc.int32)\nanother_desc.set_shape_addr(sizes)",
    ),
    _number("get_dim", "GetDim", "How many dimensions the tensor has."),
    _number("get_index", "GetIndex", "Which tensor of the list it is, from 0."),
    _number("get_shape", "GetShape", "The extent of dimension `offset`, from 0.", ", offset: uint32"),
    Row(
        "TensorDesc.get_data_ptr",
        "GetDataPtr",
        "The address of the tensor.",
        forms=(Form("self: object TensorDesc T", result="address T"),),
        dtypes=_T,
        effect="reads",
        exactness=_LAYOUT,
        example="x_gm.set_global_buffer(desc.get_data_ptr(), 128)",
    ),
    Row(
        "TensorDesc.get_data_obj",
        "GetDataObj",
        "The tensor, with as many elements as its extents say.",
        forms=(Form("self: object TensorDesc T", result="global T"),),
        dtypes=_T,
        effect="reads",
        exactness="assumed(it has as many elements as its extents say)",
        example='asc.printf("%d\\n", desc.get_data_obj().get_size())',
    ),
)
