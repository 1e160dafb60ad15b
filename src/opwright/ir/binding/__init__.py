"""Binding: from a row and typed arguments to a call in the IR. Every front end builds its calls through this socket.

`bind.bind` chooses the form and checks the arguments, `build.build` adds the operation.
"""
