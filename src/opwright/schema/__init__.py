"""Schemas of operators, without any framework: `parse` reads one, `str` of what it gives writes it.

A schema is what PyTorch writes for an operator: `mylib::scaled(Tensor x, float factor=2.0) -> Tensor`. This folder
knows what can be written; which of it an operator may have is the business of `opwright.operators`.
"""

from __future__ import annotations

from opwright.schema.model import Argument, Result, Schema
from opwright.schema.parse import parse
from opwright.schema.types import Alias, Base, List, Optional, Type

__all__ = ["Alias", "Argument", "Base", "List", "Optional", "Result", "Schema", "Type", "parse"]
