#!/usr/bin/env bash
# What is too long for every change: the slow tests, the tests of the calls at the level of optimisation that users have,
# benchmarks at length with tight floors, every step of the packaging walk, kernels with a piece of their synchronisation
# removed, random programs and tiles, hostile calls, upstream MLIR's opinion of our IR, the operators on other versions of PyTorch,
# and the smoke set on the other Python versions found here.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"
work=$root/build/nightly
export PIP_DISABLE_PIP_VERSION_CHECK=1
unset PYTHONPATH

# The newest interpreter of a version, from pyenv or from the path; nothing if there is none.
interpreter() {
    local candidate found=""
    if command -v pyenv >/dev/null; then
        for candidate in "$(pyenv root)/versions/$1".*/bin/python; do
            [[ -x $candidate ]] && found=$candidate
        done
    fi
    if [[ -z $found ]] && "python$1" -c "" 2>/dev/null; then found=python$1; fi
    echo "$found"
}

bash .ci/run system environment
rm -rf "$work"
mkdir -p "$work"

code=0
.ci/venv/bin/pytest tests -q -m slow --basetemp="$work/pytest" || code=$?
[[ $code == 0 || $code == 5 ]] # 5: no test is slow

OPWRIGHT_OPT_LEVEL=3 .ci/venv/bin/pytest tests/ascendc tests/simt tests/operators tests/test_examples.py -q -n 2 -m "not slow" --basetemp="$work/pytest"

for name in vector_add checked vector_calls dispatch writes hifloat8 simt matmul_twin tiles; do
    OPWRIGHT_CACHE_DIR="$work/cache" .ci/venv/bin/python "benchmarks/$name.py" --json "build/$name.json"
done
OPWRIGHT_CACHE_DIR="$work/cache" .ci/venv/bin/python benchmarks/operators.py --floors --json build/operators.json
OPWRIGHT_CACHE_DIR="$work/cache" .ci/venv/bin/python benchmarks/providers.py --floors --json build/providers.json
OPWRIGHT_CACHE_DIR="$work/cache" .ci/venv/bin/python benchmarks/accuracy.py --floors --json build/accuracy.json
bash .ci/run walk

OPWRIGHT_CACHE_DIR="$work/cache" .ci/venv/bin/python tools/mutate_sync.py
.ci/venv/bin/python tools/random_programs.py --programs 10000
.ci/venv/bin/python tools/random_tiles.py --expressions 2000 --seed "$((1000 * $(date +%j)))"
.ci/venv/bin/python tools/crash_campaign.py

.ci/venv/bin/python -m venv "$work/mlir"
"$work/mlir/bin/pip" install -q .
# Of the wheel only MLIR itself is needed, not what torch-mlir builds on.
if "$work/mlir/bin/pip" install -q --no-deps torch-mlir; then
    "$work/mlir/bin/python" tools/upstream_mlir.py
else
    echo "torch-mlir: no wheel for this Python, not tested"
fi

# One binary for other versions of PyTorch: the wheel that was built against the pinned one, and the operators' tests.
.ci/venv/bin/python tools/build_wheel.py --outdir "$work/dist"
for version in 2.10.0 2.11.0 2.12.1 2.13.0 2.14.1; do
    .ci/venv/bin/python -m venv "$work/torch-$version"
    "$work/torch-$version/bin/pip" install -q "torch==$version" pytest pytest-xdist ml_dtypes
    "$work/torch-$version/bin/pip" install -q "$work"/dist/*manylinux*.whl
    "$work/torch-$version/bin/python" -m pytest tests/operators tests/native/test_adapter.py -q -n 2 -m "not slow" --basetemp="$work/pytest"
    echo "PyTorch $version: passed"
done

cp -r tests/smoke "$work/smoke"
for version in 3.10 3.12 3.13; do
    python=$(interpreter "$version")
    if [[ -z $python ]]; then
        echo "Python $version: not found, not tested"
        continue
    fi
    "$python" -m venv "$work/$version"
    "$work/$version/bin/pip" install -q .
    (cd "$work" && OPWRIGHT_CACHE_DIR="$work/cache-$version" "$version/bin/python" smoke/test_smoke.py)
    echo "Python $version: passed"
done
