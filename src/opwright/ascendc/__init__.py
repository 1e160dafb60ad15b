"""The table: what Ascend C is, as data. Standard library only; nothing here knows of IR, text or torch."""
