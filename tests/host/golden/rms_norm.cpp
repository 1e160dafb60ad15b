#include "opwright/host.h"

namespace opwright::host_functions::rms_norm {

inline host::Tensor infer(const host::Tensor& x, const host::Optional<host::Tensor>& weight, const double&, const host::Optional<host::Int>& variance_size) {
    host::require_dtype("x", x, {host::Dtype{2, 16}, host::Dtype{4, 16}, host::Dtype{2, 32}, host::Dtype{2, 64}});
    if (host::is_refuted(host::ndim(x) >= 1)) {
        host::refuse(host::kValue, "x must have at least one dimension");
    }
    const host::Int width = host::item(x.shape, -1);
    if (!host::is_none(weight)) {
        host::require_dtype("weight", host::given(weight), {host::Dtype{2, 16}, host::Dtype{4, 16}, host::Dtype{2, 32}, host::Dtype{2, 64}});
        host::require_device("weight", host::given(weight), "x", x);
        const host::Truth truth = host::known(host::ndim(host::given(weight)) == 1) ? host::Truth(host::item(host::given(weight).shape, 0) == width) : host::Truth(false);
        if (host::is_refuted(truth)) {
            host::refuse(host::kValue, host::text("weight must have the shape [", width, "] of a row of x, not ", host::listed(host::given(weight).shape)));
        }
    }
    if (!host::is_none(variance_size)) {
        const host::Truth truth_1 = host::known(0 < host::given(variance_size)) ? host::Truth(host::given(variance_size) <= width) : host::Truth(false);
        if (host::is_refuted(truth_1)) {
            host::refuse(host::kValue, host::text("variance_size must be from 1 to ", width, ", the length of a row, not ", variance_size));
        }
    }
    return host::dense(x.shape, x.dtype);
}

inline host::Launch launch(const host::Tensor& x, const host::Optional<host::Tensor>&, const double& epsilon, const host::Optional<host::Int>& variance_size, const host::Tensor&, const host::Soc& soc) {
    const host::Int width = host::item(x.shape, -1);
    const host::Int rows = host::floordiv(host::numel(x), host::max(1, width));
    const host::Int counted = !host::is_none(variance_size) ? host::Int(host::given(variance_size)) : host::Int(width);
    const host::Int blocks = host::min(rows, soc.vector_cores);
    return host::launch("rms_norm_kernel", blocks, 0, rows, width, counted, epsilon);
}

inline constexpr const char* kArguments[] = {"x", "weight", "epsilon", "variance_size"};
inline constexpr int kResults = 1;

template <typename Arguments>
void infer_from(const Arguments& given, host::Tensor* results) {
    results[0] = infer(given.template get<host::Tensor>(0), given.template get<host::Optional<host::Tensor>>(1), given.template get<double>(2), given.template get<host::Optional<host::Int>>(3));
}

template <typename Arguments>
host::Launch launch_from(const Arguments& given, const host::Tensor* results, const host::Soc& soc) {
    return launch(given.template get<host::Tensor>(0), given.template get<host::Optional<host::Tensor>>(1), given.template get<double>(2), given.template get<host::Optional<host::Int>>(3), results[0], soc);
}

}  // namespace opwright::host_functions::rms_norm
