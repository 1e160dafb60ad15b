"""The k greatest of a row, and the rows of a table in their order: sort32, a merge, and a gather by what it found.

Run it: python examples/06_gather_sort.py
See its Ascend C: opwright emit examples/06_gather_sort.py:top_k --soc ascend910b --arg scores=f32[128] \
--arg labels=i32[128] --arg best=f32[128] --arg chosen=i32[128] --arg rows=1

Every core takes some rows of 128 scores. sort32 sorts groups of 32 and puts the place of each score beside it; mrg_sort
merges the four groups. The places, made bytes, are the offsets of a gather of labels. It runs on the CPU twin, also
under the checked one. Not run on an NPU.
"""

import numpy as np

from opwright import asc

ROW = 128  # scores of one row
GROUP = 32  # what sort32 sorts
PAIR = 2  # float32 of a pair: a score, then the bits of its place


# [kernel]
@asc.jit
def top_k(
    scores: asc.GlobalAddress, labels: asc.GlobalAddress, best: asc.GlobalAddress, chosen: asc.GlobalAddress, rows: int
):
    """best = the scores of each row, the greatest first; chosen = the labels that belong to them."""
    offset = asc.get_block_idx() * rows * ROW
    scores_gm = asc.GlobalTensor()
    labels_gm = asc.GlobalTensor()
    best_gm = asc.GlobalTensor()
    chosen_gm = asc.GlobalTensor()
    scores_gm.set_global_buffer(scores + offset, rows * ROW)
    labels_gm.set_global_buffer(labels, ROW)
    best_gm.set_global_buffer(best + offset, rows * ROW)
    chosen_gm.set_global_buffer(chosen + offset, rows * ROW)

    row = asc.LocalTensor(asc.float32, asc.TPosition.VECIN, 0, ROW)
    names = asc.LocalTensor(asc.int32, asc.TPosition.VECIN, 512, ROW)
    places = asc.LocalTensor(asc.uint32, asc.TPosition.VECCALC, 1024, ROW)
    groups = asc.LocalTensor(asc.float32, asc.TPosition.VECCALC, 1536, PAIR * ROW)
    pairs = asc.LocalTensor(asc.float32, asc.TPosition.VECCALC, 2560, PAIR * ROW)
    found = asc.LocalTensor(asc.float32, asc.TPosition.VECOUT, 3584, ROW)
    taken = asc.LocalTensor(asc.int32, asc.TPosition.VECOUT, 4096, ROW)

    asc.data_copy(names, labels_gm, ROW)
    for place in range(ROW):
        places.set_value(place, 4 * place)  # in bytes: a label has 4
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)

    for number in range(rows):
        asc.data_copy(row, scores_gm[number * ROW :], ROW)
        asc.pipe_barrier(asc.PipeID.PIPE_ALL)

        # Four sorted groups, then one sorted row, of pairs.
        asc.sort32(groups, row, places, ROW // GROUP)
        asc.pipe_barrier(asc.PipeID.PIPE_V)
        step = PAIR * GROUP
        queues = asc.MrgSortSrcList(asc.float32, groups, groups[step:], groups[2 * step :], groups[3 * step :])
        asc.mrg_sort(pairs, queues, asc.MrgSort4Info([GROUP, GROUP, GROUP, GROUP]))
        asc.pipe_barrier(asc.PipeID.PIPE_V)

        # Even elements are scores, odd ones the bytes at which labels lie.
        asc.gather_mask(found, pairs, 1, False, 0, asc.GatherMaskParams(1, PAIR * ROW // 64, 8, 0))
        asc.gather_mask(groups, pairs, 2, False, 0, asc.GatherMaskParams(1, PAIR * ROW // 64, 8, 0))
        asc.pipe_barrier(asc.PipeID.PIPE_V)
        asc.gather(taken, names, groups.reinterpret_cast(asc.uint32), 0, ROW)
        asc.pipe_barrier(asc.PipeID.PIPE_ALL)

        asc.data_copy(best_gm[number * ROW :], found, ROW)
        asc.data_copy(chosen_gm[number * ROW :], taken, ROW)
        asc.pipe_barrier(asc.PipeID.PIPE_ALL)


# [kernel end]


def run(cores: int, rows: int, k: int) -> None:
    """Sorts on the checked twin and compares with NumPy."""
    random = np.random.default_rng(cores)
    scores = random.integers(-50, 50, (cores * rows, ROW)).astype(np.float32)  # some are equal
    labels = random.permutation(1000)[:ROW].astype(np.int32)
    best = np.full_like(scores, np.nan)
    chosen = np.full(scores.shape, -1, np.int32)
    top_k.check[cores](scores.reshape(-1), labels, best.reshape(-1), chosen.reshape(-1), rows)
    order = np.argsort(-scores, axis=1, kind="stable")
    same = np.array_equal(best, np.take_along_axis(scores, order, 1)) and np.array_equal(chosen, labels[order])
    print(f"{cores:2} cores x {rows} rows, the first {k} of the first row: {best[0, :k].tolist()}")
    print(f"    with the labels {chosen[0, :k].tolist()}: {'equal to NumPy' if same else 'WRONG'}")
    if not same:
        raise SystemExit(1)


def main() -> None:
    """A few numbers of cores and rows."""
    for cores, rows in ((1, 1), (3, 2), (8, 1)):
        run(cores, rows, 4)


if __name__ == "__main__":
    main()
