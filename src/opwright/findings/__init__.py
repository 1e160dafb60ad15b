"""Findings of the checked twin, memory budgets, and how they are shown."""
