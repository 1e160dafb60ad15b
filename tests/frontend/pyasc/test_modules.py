"""Modules under the paths that code of PyAsc imports, in kernels and around them."""

import importlib
import subprocess
import sys

import numpy as np
import pytest

import opwright.asc.language as al
import opwright.asc.lib.runtime as rt
import opwright.asc.runtime.config as config
from opwright import asc, errors
from opwright.asc.language import adv, basic
from opwright.settings import settings


@asc.jit
def by_module(x: asc.GlobalAddress, n: int):
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x)
    a = basic.LocalTensor(asc.float32, asc.TPosition.VECIN, 0, 64)
    basic.data_copy(a, x_gm, 64)
    al.basic.set_flag(al.core.HardEvent.MTE2_V, 0)
    asc.language.basic.wait_flag(asc.HardEvent.MTE2_V, 0)
    al.adds(a, a, 1.0, 64)
    basic.set_flag(asc.HardEvent.V_MTE3, 0)
    basic.wait_flag(asc.HardEvent.V_MTE3, 0)
    basic.data_copy(x_gm, a, 64)


@asc.jit
def by_adv(x: asc.GlobalAddress):
    pipe = asc.TPipe()
    a_buffer = asc.TBuf(asc.TPosition.VECCALC)
    pipe.init_buffer(a_buffer, 256)
    a = a_buffer.get(asc.float32)
    b_buffer = asc.TBuf(asc.TPosition.VECCALC)
    pipe.init_buffer(b_buffer, 256)
    b = b_buffer.get(asc.float32)
    asc.duplicate(a, 0.5, 64)
    adv.tanh(b, a, 64)


def test_calls_of_parts_of_the_language() -> None:
    x = np.arange(64, dtype=np.float32)
    by_module[1, rt.current_stream()](x, 64)
    rt.synchronize()
    assert (x == np.arange(64) + 1).all()
    assert "AscendC::Tanh(" in by_adv.emit("f32[64]")


@pytest.mark.quick
def test_names_are_the_same_objects() -> None:
    assert basic.data_copy is asc.data_copy is al.data_copy
    assert adv.tanh is asc.adv.tanh
    assert asc.lib.runtime is rt and asc.runtime.config is asc.config is config
    for module in ("language", "language.basic", "language.core", "language.fwk", "language.adv", "lib.host"):
        found = importlib.import_module(f"opwright.asc.{module}")
        with pytest.raises(AttributeError):
            found.no_such_name


@pytest.mark.parametrize(
    "name",
    [
        "language.basic.data_copy",
        "language.core.HardEvent",
        "language.fwk.TPipe",
        "language.adv.tanh",
        "lib.runtime.current_stream",
        "lib.host.softmax_tiling",
        "runtime.config.KernelType",
        "config.Platform",
    ],
)
def test_modules_need_no_import_of_their_own(name: str) -> None:
    """In a process in which nothing else has imported them."""
    code = f"import opwright.asc as asc; print(asc.{name}.__name__)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout.strip().split(".")[-1] == name.split(".")[-1], done.stderr


@pytest.mark.quick
@pytest.mark.parametrize("module", ["lib", "runtime"])
def test_names_that_are_not_there(module: str) -> None:
    with pytest.raises(AttributeError, match=f"opwright.asc.{module}' has no attribute 'banana'"):
        getattr(asc, module).banana


@pytest.mark.quick
def test_platform() -> None:
    with settings.scope(soc="ascend950"):
        config.set_platform(config.Backend.Model, config.Platform.Ascend910_9362)
        assert rt.current_platform() == settings.soc == "ascend910_93"
        config.set_platform("Model", "Ascend910B4-1", device_id=0, check=False)
        assert settings.build().soc == "ascend910b"
        rt.set_soc_version(config.Platform.Ascend910_9392)
        assert settings.build().soc == "ascend910_93"
        config.set_platform("Model")
        assert settings.soc == "ascend910_93"
    assert asc.jit(kernel_type=config.KernelType.AIC_ONLY)(by_adv.function).options.kernel_type == "cube"


@pytest.mark.quick
def test_platforms_are_known() -> None:
    assert {platform.soc for platform in config.Platform} == {"ascend910b", "ascend910_93"}


@pytest.mark.quick
def test_what_is_not_there() -> None:
    with pytest.raises(errors.BadOption, match="kernels run on the twin"):
        config.set_platform(config.Backend.NPU)
    with pytest.raises(errors.BadOption, match="kernels run on the twin"):
        rt.use_npu()
    with pytest.raises(errors.BadOption, match="is one of Ascend910B1"):
        config.set_platform("Model", "Ascend1")


def test_host_code_around_a_launch() -> None:
    rt.use_model()
    assert rt.is_available() and rt.is_model() and rt.device_count() == 1
    rt.set_device(rt.default_device())
    stream = rt.create_stream()
    x = np.zeros(64, np.float32)
    by_module[1, stream](x, 64)
    rt.synchronize(stream)
    rt.destroy_stream(stream)
    rt.synchronize_device()
    rt.reset_device()
    assert (x == 1).all() and rt.current_device() == 0
