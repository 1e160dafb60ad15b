#include "opwright/host.h"

namespace opwright::host_functions::hifloat8_scale {

inline host::Text counted(const host::Int& count, const host::Text& one, const host::Text& many) {
    const host::Text text = host::known(count == 1) ? host::Text(one) : host::Text(many);
    return host::text(count, " ", text);
}

inline void require_block_size(const host::Shape& block_size, const host::Shape& shape) {
    if (host::known(host::size(block_size) != host::size(shape))) {
        const host::Text entries = counted(host::size(block_size), "entry", "entries");
        const host::Text dimensions = counted(host::size(shape), "dimension", "dimensions");
        host::refuse(host::kValue, host::text("block_size ", host::listed(block_size), " has ", entries, ", but the tensor has ", dimensions));
    }
    const int64_t end = host::known(host::size(block_size));
    for (int64_t i = 0; i < end; ++i) {
        const host::Int dim = i;
        const host::Int length = host::item(block_size, dim);
        if (host::is_refuted((length > 0) | (length == -1))) {
            host::refuse(host::kValue, host::text("block_size ", host::listed(block_size), " has ", length, " at ", dim, ", but an entry is positive, or -1 for all"));
        }
    }
}

inline void require_target_max(const double& target_max) {
    const host::Truth truth = (1.1754943508222875e-38 <= target_max) ? host::Truth(target_max <= 3.4028234663852886e+38) : host::Truth(false);
    if (host::is_refuted(truth)) {
        host::refuse(host::kValue, host::text("target_max is ", target_max, ", but must be a positive number that float32 has"));
    }
}

inline host::Int blocks_of(const host::Int& size, const host::Int& length) {
    const host::Int int_ = host::known(length == -1) ? host::Int(host::min(size, 1)) : host::Int(host::floordiv((size + length) - 1, length));
    return int_;
}

inline host::Shape scale_shape(const host::Shape& shape, const host::Shape& block_size) {
    host::Shape counts = host::shape();
    const int64_t end = host::zipped(shape, block_size, true);
    for (int64_t i = 0; i < end; ++i) {
        const host::Int int_ = i;
        const host::Int size = host::item(shape, int_);
        const host::Int length = host::item(block_size, int_);
        const host::Shape shape_1 = counts;
        const host::Int int_1 = blocks_of(size, length);
        counts = host::shape(shape_1, int_1);
    }
    return counts;
}

inline host::Tensor infer(const host::Tensor& input, const host::Shape& block_size, const double& target_max) {
    host::require_dtype("input", input, {host::Dtype{2, 16}, host::Dtype{4, 16}, host::Dtype{2, 32}});
    require_block_size(block_size, input.shape);
    require_target_max(target_max);
    const host::Shape shape = scale_shape(input.shape, block_size);
    return host::dense(shape, host::Dtype{2, 32});
}

inline constexpr const char* kArguments[] = {"input", "block_size", "target_max"};
inline constexpr int kResults = 1;

template <typename Arguments>
void infer_from(const Arguments& given, host::Tensor* results) {
    results[0] = infer(given.template get<host::Tensor>(0), given.template get<host::Shape>(1), given.template get<double>(2));
}

}  // namespace opwright::host_functions::hifloat8_scale
