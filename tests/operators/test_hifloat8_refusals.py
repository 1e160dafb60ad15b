"""What the HiFloat8 operators refuse, in which words, also while tracing."""

import math
import re
from collections.abc import Callable

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed")

from torch._subclasses.fake_tensor import FakeTensorMode  # noqa: E402
from torch.fx.experimental.symbolic_shapes import DimDynamic, ShapeEnv, StatelessSymbolicContext  # noqa: E402

from opwright import host  # noqa: E402
from opwright.operators import _hifloat8_checks as checks  # noqa: E402
from opwright.operators import _hifloat8_host as legal  # noqa: E402
from opwright.operators._infer import facts_of_tensor  # noqa: E402

X = torch.zeros(4, 6)


def _require_both(scale: host.Tensor | None, block_size: list[int] | None) -> None:
    with host.errors_of("someone"):
        legal.require_both(scale, block_size)


REFUSED: list[tuple[type[Exception], str, Callable[[], None]]] = [
    (
        ValueError,
        "overflow is 'saturated', but must be 'inf', 'saturate' or 'saturate_all'; did you mean 'saturate'?",
        lambda: checks.check_overflow("someone", "saturated"),
    ),
    (
        ValueError,
        "overflow is 'INF', but must be 'inf', 'saturate' or 'saturate_all'; did you mean 'inf'?",
        lambda: checks.check_overflow("someone", "INF"),
    ),
    (
        ValueError,
        "overflow is 'wrap', but must be 'inf', 'saturate' or 'saturate_all'",
        lambda: checks.check_overflow("someone", "wrap"),
    ),
    (
        TypeError,
        "input is float64, but must be float16, bfloat16 or float32",
        lambda: checks.check_floats("someone", X.double()),
    ),
    (TypeError, "codes is int8, but codes are uint8", lambda: checks.check_codes("someone", X.to(torch.int8), "codes")),
    (
        TypeError,
        "dtype is int32, but must be float16, bfloat16 or float32",
        lambda: checks.check_output_dtype("someone", torch.int32),
    ),
    (
        ValueError,
        "target_max is 0.0, but must be a positive number that float32 has",
        lambda: checks.check_target_max("someone", 0.0),
    ),
    (
        ValueError,
        "target_max is nan, but must be a positive number that float32 has",
        lambda: checks.check_target_max("someone", math.nan),
    ),
    (
        ValueError,
        "target_max is inf, but must be a positive number that float32 has",
        lambda: checks.check_target_max("someone", math.inf),
    ),
    (
        ValueError,
        "block_size [4] has 1 entry, but the tensor has 2 dimensions",
        lambda: checks.check_block_size("someone", [4], X.shape),
    ),
    (
        ValueError,
        "block_size [4, 0] has 0 at 1, but an entry is positive, or -1 for all",
        lambda: checks.check_block_size("someone", [4, 0], X.shape),
    ),
    (
        ValueError,
        "block_size [-2, 1] has -2 at 0, but an entry is positive, or -1 for all",
        lambda: checks.check_block_size("someone", [-2, 1], X.shape),
    ),
    (TypeError, "scale is float16, but must be float32", lambda: checks.check_scale("someone", X.half(), [1, 1], X)),
    (
        ValueError,
        "scale is on meta, but the tensor is on cpu",
        lambda: checks.check_scale("someone", X.to("meta"), [1, 1], X),
    ),
    (
        ValueError,
        "scale has shape [4, 6], but shape [4, 6] in blocks of [2, 4] needs [2, 2]",
        lambda: checks.check_scale("someone", X, [2, 4], X),
    ),
    (
        ValueError,
        "scale has shape [4], but shape [4, 6] in blocks of [1, -1] needs [4, 1]",
        lambda: checks.check_scale("someone", X[:, 0], [1, -1], X),
    ),
    (
        ValueError,
        "scale is given without block_size, but one needs the other",
        lambda: _require_both(facts_of_tensor(X), None),
    ),
    (
        ValueError,
        "block_size is given without scale, but one needs the other",
        lambda: _require_both(None, [1, 1]),
    ),
]


@pytest.mark.parametrize(("kind", "text", "call"), REFUSED, ids=[text for _, text, _ in REFUSED])
def test_refused(kind: type[Exception], text: str, call: Callable[[], None]) -> None:
    with pytest.raises(kind, match=f"^someone: {re.escape(text)}$"):
        call()


def test_refused_while_tracing() -> None:
    """Sizes that are symbols are compared; one that only the run knows is taken to be right."""
    shapes = ShapeEnv()
    x = torch.zeros(10, 7)
    with FakeTensorMode(shape_env=shapes) as mode:
        x = mode.from_tensor(x, symbolic_context=StatelessSymbolicContext([DimDynamic.DYNAMIC] * 2))
        assert isinstance(x.shape[0], torch.SymInt)
        with pytest.raises(
            ValueError, match=r"^someone: scale has shape \[.*\], but shape \[.*\] in blocks of \[2, -1\] needs"
        ):
            checks.check_scale("someone", x, [2, -1], x)
        unknown = shapes.create_unbacked_symint()
        torch._check(unknown >= 2)
        scale = torch.empty(unknown, 1)
        checks.check_scale("someone", scale, [2, -1], x)
        with pytest.raises(ValueError, match="has 0 at 1"):
            checks.check_block_size("someone", [x.shape[0], 0], x.shape)
