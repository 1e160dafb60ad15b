"""The IR of a kernel, on xDSL. The only folder that imports it; not loaded when the cache has the kernel."""

from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.ir import Attribute, Block, Operation, SSAValue

__all__ = ["Attribute", "Block", "ModuleOp", "Operation", "SSAValue", "StringAttr"]
