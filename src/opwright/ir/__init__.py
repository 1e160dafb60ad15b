"""The IR of a kernel, on xDSL. The only folder that imports it; not loaded when the cache has the kernel."""

from xdsl.dialects.builtin import ArrayAttr, ModuleOp, StringAttr
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.utils.exceptions import VerifyException

__all__ = ["ArrayAttr", "Attribute", "Block", "ModuleOp", "Operation", "SSAValue", "StringAttr", "VerifyException"]
