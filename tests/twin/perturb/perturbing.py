"""What the tests of the perturbed mode share: a kernel under sixteen schedules."""

from opwright.check.perturb import Perturbed, perturbed
from opwright.kernel.target import Mode
from opwright.runtime.jit import JitFunction


def perturb(kernel: JitFunction, cores: int, *arguments: object, count: int = 16, seed: int = 0) -> Perturbed:
    bound = kernel.binder.bind(arguments, {})
    return perturbed(kernel.kernel_for(bound, Mode.CHECKED), cores, bound, count, seed)
