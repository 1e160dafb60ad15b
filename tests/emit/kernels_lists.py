"""Kernels of the golden texts: lists of tensors."""

from golden_case import case

from opwright import asc


@case("u64[16]", "u8[128]", 16)
@asc.jit
def lists(words: asc.GlobalAddress, in_bytes: asc.GlobalAddress, length: int):
    """Tensors that a kernel finds in a list."""
    tensors = asc.ListTensorDesc(words, length)
    later = asc.ListTensorDesc()
    later.init(in_bytes, shape_size=2)
    sizes = asc.array(asc.uint64, 4)
    desc = asc.TensorDesc(asc.float16)
    other = asc.TensorDesc()
    desc.set_shape_addr(sizes)
    other.set_shape_addr(sizes)
    for i in range(tensors.get_size()):
        tensors.get_desc(desc, i)
        asc.printf("%d %d %d %d\n", desc.get_dim(), desc.get_index(), desc.get_shape(1), sizes[0])
        tensor = desc.get_data_obj()
        tensor.set_value(0, 1.0)
        x_gm = asc.GlobalTensor()
        x_gm.set_global_buffer(desc.get_data_ptr(), 8)
        y_gm = asc.GlobalTensor()
        y_gm.set_global_buffer(later.get_data_ptr(i, asc.int32), 8)
        y_gm.set_value(0, int(x_gm.get_value(1)))
