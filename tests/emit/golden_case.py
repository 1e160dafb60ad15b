"""What the kernels of the golden texts share: `CASES`, name -> (kernel, arguments, SoC), and how one is added."""

CASES = {}


def case(*arguments, soc="ascend910b", dtypes=("",), name=""):
    """Adds a kernel; `{}` in an argument stands for each of `dtypes` in turn."""

    def add(kernel):
        for dtype in dtypes:
            filled = tuple(a.format(dtype) if isinstance(a, str) else a for a in arguments)
            CASES[name or "_".join(filter(None, (kernel.__name__, dtype)))] = (kernel, filled, soc)
        return kernel

    return add
