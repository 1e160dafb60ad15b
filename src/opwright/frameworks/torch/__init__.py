"""The operators in PyTorch. `import opwright.ops` is the way in."""
