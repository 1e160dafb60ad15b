"""What the HiFloat8 operators refuse, in which words, also while tracing."""

import math
import re
from collections.abc import Callable

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed")

from torch._subclasses.fake_tensor import FakeTensorMode  # noqa: E402
from torch.fx.experimental.symbolic_shapes import DimDynamic, ShapeEnv, StatelessSymbolicContext  # noqa: E402

from opwright.operators import _hifloat8 as hifloat8  # noqa: E402

X = torch.zeros(4, 6)
REFUSED: list[tuple[type[Exception], str, Callable[[], None]]] = [
    (
        ValueError,
        "overflow is 'saturated', but must be 'inf', 'saturate' or 'saturate_all'; did you mean 'saturate'?",
        lambda: hifloat8.check_overflow("saturated"),
    ),
    (
        ValueError,
        "overflow is 'INF', but must be 'inf', 'saturate' or 'saturate_all'; did you mean 'inf'?",
        lambda: hifloat8.check_overflow("INF"),
    ),
    (
        ValueError,
        "overflow is 'wrap', but must be 'inf', 'saturate' or 'saturate_all'",
        lambda: hifloat8.check_overflow("wrap"),
    ),
    (
        TypeError,
        "input is float64, but must be float16, bfloat16 or float32",
        lambda: hifloat8.check_floats(X.double()),
    ),
    (TypeError, "codes is int8, but codes are uint8", lambda: hifloat8.check_codes(X.to(torch.int8), "codes")),
    (
        TypeError,
        "dtype is int32, but must be float16, bfloat16 or float32",
        lambda: hifloat8.check_output_dtype(torch.int32),
    ),
    (
        ValueError,
        "target_max is 0.0, but must be a positive number that float32 has",
        lambda: hifloat8.check_target_max(0.0),
    ),
    (
        ValueError,
        "target_max is nan, but must be a positive number that float32 has",
        lambda: hifloat8.check_target_max(math.nan),
    ),
    (
        ValueError,
        "target_max is inf, but must be a positive number that float32 has",
        lambda: hifloat8.check_target_max(math.inf),
    ),
    (
        ValueError,
        "block_size [4] has 1 entry, but the tensor has 2 dimensions",
        lambda: hifloat8.check_block_size([4], X.shape),
    ),
    (
        ValueError,
        "block_size [4, 0] has 0 at 1, but an entry is positive, or -1 for all",
        lambda: hifloat8.check_block_size([4, 0], X.shape),
    ),
    (
        ValueError,
        "block_size [-2, 1] has -2 at 0, but an entry is positive, or -1 for all",
        lambda: hifloat8.check_block_size([-2, 1], X.shape),
    ),
    (TypeError, "scale is float16, but must be float32", lambda: hifloat8.check_scale(X.half(), [1, 1], X)),
    (ValueError, "scale is on meta, but the tensor is on cpu", lambda: hifloat8.check_scale(X.to("meta"), [1, 1], X)),
    (
        ValueError,
        "scale has shape [4, 6], but shape [4, 6] in blocks of [2, 4] needs [2, 2]",
        lambda: hifloat8.check_scale(X, [2, 4], X),
    ),
    (
        ValueError,
        "scale has shape [4], but shape [4, 6] in blocks of [1, -1] needs [4, 1]",
        lambda: hifloat8.check_scale(X[:, 0], [1, -1], X),
    ),
    (
        ValueError,
        "scale is given without block_size, but one needs the other",
        lambda: hifloat8.check_scale_and_block_size(X, None),
    ),
    (
        ValueError,
        "block_size is given without scale, but one needs the other",
        lambda: hifloat8.check_scale_and_block_size(None, [1, 1]),
    ),
]


@pytest.mark.parametrize(("kind", "text", "call"), REFUSED, ids=[text for _, text, _ in REFUSED])
def test_refused(kind: type[Exception], text: str, call: Callable[[], None]) -> None:
    with pytest.raises(kind, match=f"^{re.escape(text)}$"):
        call()


def test_refused_while_tracing() -> None:
    """Sizes that are symbols are compared; one that only the run knows is taken to be right."""
    shapes = ShapeEnv()
    x = torch.zeros(10, 7)
    with FakeTensorMode(shape_env=shapes) as mode:
        x = mode.from_tensor(x, symbolic_context=StatelessSymbolicContext([DimDynamic.DYNAMIC] * 2))
        assert isinstance(x.shape[0], torch.SymInt)
        with pytest.raises(ValueError, match=r"^scale has shape \[.*\], but shape \[.*\] in blocks of \[2, -1\] needs"):
            hifloat8.check_scale(x, [2, -1], x)
        unknown = shapes.create_unbacked_symint()
        torch._check(unknown >= 2)
        scale = torch.empty(unknown, 1)
        hifloat8.check_scale(scale, [2, -1], x)
        with pytest.raises(ValueError, match="has 0 at 1"):
            hifloat8.check_block_size([x.shape[0], 0], x.shape)
