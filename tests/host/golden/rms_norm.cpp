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

inline host::Tensor rows(const host::Text& name, const host::Tensor& tensor) {
    if (host::is_refuted(host::ndim(tensor) >= 1)) {
        host::refuse(host::kValue, host::text(name, " must have at least one dimension"));
    }
    host::Int count = 1;
    host::Int stride = host::item(tensor.shape, -1);
    const int64_t end = host::known(host::ndim(tensor) - 1);
    for (int64_t i = 0; i < end; ++i) {
        const host::Int i_1 = i;
        const host::Int size = host::item(tensor.shape, (host::ndim(tensor) - 2) - i_1);
        const host::Int step = host::item(tensor.strides, (host::ndim(tensor) - 2) - i_1);
        if (host::known(size != 1)) {
            if (host::known(count == 1)) {
                stride = step;
            } else {
                const host::Truth is_one_view = (step == (count * stride)) | (host::numel(tensor) == 0);
                if (host::is_refuted(is_one_view)) {
                    host::refuse(host::kValue, host::text(name, " has rows that do not lie one stride apart"));
                }
            }
            count = count * size;
        }
    }
    return host::strided(host::shape(count, host::item(tensor.shape, -1)), host::shape(stride, host::item(tensor.strides, -1)), tensor.dtype);
}

inline host::Launch launch_of_rms_norm_rows(const host::Tensor& x, const host::Tensor& weight, const host::Tensor& y, const double& epsilon, const host::Soc& soc) {
    const host::Truth truth = (x.dtype == host::Dtype{2, 16}) ? host::Truth((weight.dtype == host::Dtype{2, 16}) ? host::Truth(y.dtype == host::Dtype{2, 16}) : host::Truth(false)) : host::Truth(false);
    if (host::known(truth)) {
        if (host::is_refuted(host::item(x.shape, 1) <= 512)) {
            host::refuse(host::kValue, host::text("rms_norm_rows takes 512 elements of an axis, not ", host::item(x.shape, 1)));
        }
        if (host::is_refuted((0 >= host::item(x.shape, 1)) | (true & (host::item(x.shape, 1) <= host::item(weight.shape, 0))))) {
            host::refuse(host::kValue, "weight has too few elements along axis 0, which rms_norm_rows does not take");
        }
        if (host::is_refuted(((host::item(weight.strides, 0) == 1) | (host::item(weight.shape, 0) <= 1)) | (host::numel(weight) == 0))) {
            host::refuse(host::kValue, "weight has gaps in its last axis, which rms_norm_rows does not take");
        }
        if (host::is_refuted(((host::item(x.strides, 1) == 1) | (host::item(x.shape, 1) <= 1)) | (host::numel(x) == 0))) {
            host::refuse(host::kValue, "x has gaps in its last axis, which rms_norm_rows does not take");
        }
        if (host::is_refuted((0 >= host::item(x.shape, 0)) | (true & (host::item(x.shape, 0) <= host::item(y.shape, 0))))) {
            host::refuse(host::kValue, "y has too few elements along axis 0, which rms_norm_rows does not take");
        }
        if (host::is_refuted((0 >= host::item(x.shape, 1)) | (true & (host::item(x.shape, 1) <= host::item(y.shape, 1))))) {
            host::refuse(host::kValue, "y has too few elements along axis 1, which rms_norm_rows does not take");
        }
        if (host::is_refuted(((host::item(y.strides, 1) == 1) | (host::item(y.shape, 1) <= 1)) | (host::numel(y) == 0))) {
            host::refuse(host::kValue, "y has gaps in its last axis, which rms_norm_rows does not take");
        }
        if (host::is_refuted(((host::item(x.shape, 0) <= 1) | (host::item(x.strides, 0) >= host::item(x.shape, -1))) | (host::numel(x) == 0))) {
            host::refuse(host::kValue, "x has rows along axis 0 that overlap, which rms_norm_rows does not take");
        }
        if (host::is_refuted(((host::item(y.shape, 0) <= 1) | (host::item(y.strides, 0) >= host::item(y.shape, -1))) | (host::numel(y) == 0))) {
            host::refuse(host::kValue, "y has rows along axis 0 that overlap, which rms_norm_rows does not take");
        }
        const host::Int blocks = host::max(1, host::min(soc.vector_cores, host::floordiv(host::item(x.shape, 0) + 15, 16)));
        return host::launch("rms_norm_rows_float16_float16_float16", blocks, 0, host::item(x.shape, 0), host::item(x.shape, 1), host::item(x.strides, 0), host::item(x.strides, 1), host::item(weight.shape, 0), host::item(weight.strides, 0), host::item(y.shape, 0), host::item(y.shape, 1), host::item(y.strides, 0), host::item(y.strides, 1), epsilon);
    }
    const host::Truth truth_1 = (x.dtype == host::Dtype{4, 16}) ? host::Truth((weight.dtype == host::Dtype{4, 16}) ? host::Truth(y.dtype == host::Dtype{4, 16}) : host::Truth(false)) : host::Truth(false);
    if (host::known(truth_1)) {
        if (host::is_refuted(host::item(x.shape, 1) <= 512)) {
            host::refuse(host::kValue, host::text("rms_norm_rows takes 512 elements of an axis, not ", host::item(x.shape, 1)));
        }
        if (host::is_refuted((0 >= host::item(x.shape, 1)) | (true & (host::item(x.shape, 1) <= host::item(weight.shape, 0))))) {
            host::refuse(host::kValue, "weight has too few elements along axis 0, which rms_norm_rows does not take");
        }
        if (host::is_refuted(((host::item(weight.strides, 0) == 1) | (host::item(weight.shape, 0) <= 1)) | (host::numel(weight) == 0))) {
            host::refuse(host::kValue, "weight has gaps in its last axis, which rms_norm_rows does not take");
        }
        if (host::is_refuted(((host::item(x.strides, 1) == 1) | (host::item(x.shape, 1) <= 1)) | (host::numel(x) == 0))) {
            host::refuse(host::kValue, "x has gaps in its last axis, which rms_norm_rows does not take");
        }
        if (host::is_refuted((0 >= host::item(x.shape, 0)) | (true & (host::item(x.shape, 0) <= host::item(y.shape, 0))))) {
            host::refuse(host::kValue, "y has too few elements along axis 0, which rms_norm_rows does not take");
        }
        if (host::is_refuted((0 >= host::item(x.shape, 1)) | (true & (host::item(x.shape, 1) <= host::item(y.shape, 1))))) {
            host::refuse(host::kValue, "y has too few elements along axis 1, which rms_norm_rows does not take");
        }
        if (host::is_refuted(((host::item(y.strides, 1) == 1) | (host::item(y.shape, 1) <= 1)) | (host::numel(y) == 0))) {
            host::refuse(host::kValue, "y has gaps in its last axis, which rms_norm_rows does not take");
        }
        if (host::is_refuted(((host::item(x.shape, 0) <= 1) | (host::item(x.strides, 0) >= host::item(x.shape, -1))) | (host::numel(x) == 0))) {
            host::refuse(host::kValue, "x has rows along axis 0 that overlap, which rms_norm_rows does not take");
        }
        if (host::is_refuted(((host::item(y.shape, 0) <= 1) | (host::item(y.strides, 0) >= host::item(y.shape, -1))) | (host::numel(y) == 0))) {
            host::refuse(host::kValue, "y has rows along axis 0 that overlap, which rms_norm_rows does not take");
        }
        const host::Int blocks_1 = host::max(1, host::min(soc.vector_cores, host::floordiv(host::item(x.shape, 0) + 15, 16)));
        return host::launch("rms_norm_rows_bfloat16_bfloat16_bfloat16", blocks_1, 0, host::item(x.shape, 0), host::item(x.shape, 1), host::item(x.strides, 0), host::item(x.strides, 1), host::item(weight.shape, 0), host::item(weight.strides, 0), host::item(y.shape, 0), host::item(y.shape, 1), host::item(y.strides, 0), host::item(y.strides, 1), epsilon);
    }
    const host::Truth truth_2 = (x.dtype == host::Dtype{2, 32}) ? host::Truth((weight.dtype == host::Dtype{2, 32}) ? host::Truth(y.dtype == host::Dtype{2, 32}) : host::Truth(false)) : host::Truth(false);
    if (host::known(truth_2)) {
        if (host::is_refuted(host::item(x.shape, 1) <= 512)) {
            host::refuse(host::kValue, host::text("rms_norm_rows takes 512 elements of an axis, not ", host::item(x.shape, 1)));
        }
        if (host::is_refuted((0 >= host::item(x.shape, 1)) | (true & (host::item(x.shape, 1) <= host::item(weight.shape, 0))))) {
            host::refuse(host::kValue, "weight has too few elements along axis 0, which rms_norm_rows does not take");
        }
        if (host::is_refuted(((host::item(weight.strides, 0) == 1) | (host::item(weight.shape, 0) <= 1)) | (host::numel(weight) == 0))) {
            host::refuse(host::kValue, "weight has gaps in its last axis, which rms_norm_rows does not take");
        }
        if (host::is_refuted(((host::item(x.strides, 1) == 1) | (host::item(x.shape, 1) <= 1)) | (host::numel(x) == 0))) {
            host::refuse(host::kValue, "x has gaps in its last axis, which rms_norm_rows does not take");
        }
        if (host::is_refuted((0 >= host::item(x.shape, 0)) | (true & (host::item(x.shape, 0) <= host::item(y.shape, 0))))) {
            host::refuse(host::kValue, "y has too few elements along axis 0, which rms_norm_rows does not take");
        }
        if (host::is_refuted((0 >= host::item(x.shape, 1)) | (true & (host::item(x.shape, 1) <= host::item(y.shape, 1))))) {
            host::refuse(host::kValue, "y has too few elements along axis 1, which rms_norm_rows does not take");
        }
        if (host::is_refuted(((host::item(y.strides, 1) == 1) | (host::item(y.shape, 1) <= 1)) | (host::numel(y) == 0))) {
            host::refuse(host::kValue, "y has gaps in its last axis, which rms_norm_rows does not take");
        }
        if (host::is_refuted(((host::item(x.shape, 0) <= 1) | (host::item(x.strides, 0) >= host::item(x.shape, -1))) | (host::numel(x) == 0))) {
            host::refuse(host::kValue, "x has rows along axis 0 that overlap, which rms_norm_rows does not take");
        }
        if (host::is_refuted(((host::item(y.shape, 0) <= 1) | (host::item(y.strides, 0) >= host::item(y.shape, -1))) | (host::numel(y) == 0))) {
            host::refuse(host::kValue, "y has rows along axis 0 that overlap, which rms_norm_rows does not take");
        }
        const host::Int blocks_2 = host::max(1, host::min(soc.vector_cores, host::floordiv(host::item(x.shape, 0) + 15, 16)));
        return host::launch("rms_norm_rows_float32_float32_float32", blocks_2, 0, host::item(x.shape, 0), host::item(x.shape, 1), host::item(x.strides, 0), host::item(x.strides, 1), host::item(weight.shape, 0), host::item(weight.strides, 0), host::item(y.shape, 0), host::item(y.shape, 1), host::item(y.strides, 0), host::item(y.strides, 1), epsilon);
    }
    host::refuse(host::kType, host::text("rms_norm_rows has no variant for ", x.dtype, ", ", weight.dtype, ", ", y.dtype));
}

inline host::Launch launch_of_rms_norm_row(const host::Tensor& x, const host::Tensor& weight, const host::Tensor& y, const double& epsilon, const host::Soc& soc) {
    const host::Truth truth = (x.dtype == host::Dtype{2, 16}) ? host::Truth((weight.dtype == host::Dtype{2, 16}) ? host::Truth(y.dtype == host::Dtype{2, 16}) : host::Truth(false)) : host::Truth(false);
    if (host::known(truth)) {
        if (host::is_refuted(host::item(x.shape, 1) <= 8192)) {
            host::refuse(host::kValue, host::text("rms_norm_row takes 8192 elements of an axis, not ", host::item(x.shape, 1)));
        }
        if (host::is_refuted((0 >= host::item(x.shape, 1)) | (true & (host::item(x.shape, 1) <= host::item(weight.shape, 0))))) {
            host::refuse(host::kValue, "weight has too few elements along axis 0, which rms_norm_row does not take");
        }
        if (host::is_refuted(((host::item(weight.strides, 0) == 1) | (host::item(weight.shape, 0) <= 1)) | (host::numel(weight) == 0))) {
            host::refuse(host::kValue, "weight has gaps in its last axis, which rms_norm_row does not take");
        }
        if (host::is_refuted(((host::item(x.strides, 1) == 1) | (host::item(x.shape, 1) <= 1)) | (host::numel(x) == 0))) {
            host::refuse(host::kValue, "x has gaps in its last axis, which rms_norm_row does not take");
        }
        if (host::is_refuted((0 >= host::item(x.shape, 0)) | (true & (host::item(x.shape, 0) <= host::item(y.shape, 0))))) {
            host::refuse(host::kValue, "y has too few elements along axis 0, which rms_norm_row does not take");
        }
        if (host::is_refuted((0 >= host::item(x.shape, 1)) | (true & (host::item(x.shape, 1) <= host::item(y.shape, 1))))) {
            host::refuse(host::kValue, "y has too few elements along axis 1, which rms_norm_row does not take");
        }
        if (host::is_refuted(((host::item(y.strides, 1) == 1) | (host::item(y.shape, 1) <= 1)) | (host::numel(y) == 0))) {
            host::refuse(host::kValue, "y has gaps in its last axis, which rms_norm_row does not take");
        }
        const host::Int blocks = host::max(1, host::min(soc.vector_cores, host::item(x.shape, 0)));
        return host::launch("rms_norm_row_float16_float16_float16", blocks, 0, host::item(x.shape, 0), host::item(x.shape, 1), host::item(x.strides, 0), host::item(x.strides, 1), host::item(weight.shape, 0), host::item(weight.strides, 0), host::item(y.shape, 0), host::item(y.shape, 1), host::item(y.strides, 0), host::item(y.strides, 1), epsilon);
    }
    const host::Truth truth_1 = (x.dtype == host::Dtype{4, 16}) ? host::Truth((weight.dtype == host::Dtype{4, 16}) ? host::Truth(y.dtype == host::Dtype{4, 16}) : host::Truth(false)) : host::Truth(false);
    if (host::known(truth_1)) {
        if (host::is_refuted(host::item(x.shape, 1) <= 8192)) {
            host::refuse(host::kValue, host::text("rms_norm_row takes 8192 elements of an axis, not ", host::item(x.shape, 1)));
        }
        if (host::is_refuted((0 >= host::item(x.shape, 1)) | (true & (host::item(x.shape, 1) <= host::item(weight.shape, 0))))) {
            host::refuse(host::kValue, "weight has too few elements along axis 0, which rms_norm_row does not take");
        }
        if (host::is_refuted(((host::item(weight.strides, 0) == 1) | (host::item(weight.shape, 0) <= 1)) | (host::numel(weight) == 0))) {
            host::refuse(host::kValue, "weight has gaps in its last axis, which rms_norm_row does not take");
        }
        if (host::is_refuted(((host::item(x.strides, 1) == 1) | (host::item(x.shape, 1) <= 1)) | (host::numel(x) == 0))) {
            host::refuse(host::kValue, "x has gaps in its last axis, which rms_norm_row does not take");
        }
        if (host::is_refuted((0 >= host::item(x.shape, 0)) | (true & (host::item(x.shape, 0) <= host::item(y.shape, 0))))) {
            host::refuse(host::kValue, "y has too few elements along axis 0, which rms_norm_row does not take");
        }
        if (host::is_refuted((0 >= host::item(x.shape, 1)) | (true & (host::item(x.shape, 1) <= host::item(y.shape, 1))))) {
            host::refuse(host::kValue, "y has too few elements along axis 1, which rms_norm_row does not take");
        }
        if (host::is_refuted(((host::item(y.strides, 1) == 1) | (host::item(y.shape, 1) <= 1)) | (host::numel(y) == 0))) {
            host::refuse(host::kValue, "y has gaps in its last axis, which rms_norm_row does not take");
        }
        const host::Int blocks_1 = host::max(1, host::min(soc.vector_cores, host::item(x.shape, 0)));
        return host::launch("rms_norm_row_bfloat16_bfloat16_bfloat16", blocks_1, 0, host::item(x.shape, 0), host::item(x.shape, 1), host::item(x.strides, 0), host::item(x.strides, 1), host::item(weight.shape, 0), host::item(weight.strides, 0), host::item(y.shape, 0), host::item(y.shape, 1), host::item(y.strides, 0), host::item(y.strides, 1), epsilon);
    }
    const host::Truth truth_2 = (x.dtype == host::Dtype{2, 32}) ? host::Truth((weight.dtype == host::Dtype{2, 32}) ? host::Truth(y.dtype == host::Dtype{2, 32}) : host::Truth(false)) : host::Truth(false);
    if (host::known(truth_2)) {
        if (host::is_refuted(host::item(x.shape, 1) <= 8192)) {
            host::refuse(host::kValue, host::text("rms_norm_row takes 8192 elements of an axis, not ", host::item(x.shape, 1)));
        }
        if (host::is_refuted((0 >= host::item(x.shape, 1)) | (true & (host::item(x.shape, 1) <= host::item(weight.shape, 0))))) {
            host::refuse(host::kValue, "weight has too few elements along axis 0, which rms_norm_row does not take");
        }
        if (host::is_refuted(((host::item(weight.strides, 0) == 1) | (host::item(weight.shape, 0) <= 1)) | (host::numel(weight) == 0))) {
            host::refuse(host::kValue, "weight has gaps in its last axis, which rms_norm_row does not take");
        }
        if (host::is_refuted(((host::item(x.strides, 1) == 1) | (host::item(x.shape, 1) <= 1)) | (host::numel(x) == 0))) {
            host::refuse(host::kValue, "x has gaps in its last axis, which rms_norm_row does not take");
        }
        if (host::is_refuted((0 >= host::item(x.shape, 0)) | (true & (host::item(x.shape, 0) <= host::item(y.shape, 0))))) {
            host::refuse(host::kValue, "y has too few elements along axis 0, which rms_norm_row does not take");
        }
        if (host::is_refuted((0 >= host::item(x.shape, 1)) | (true & (host::item(x.shape, 1) <= host::item(y.shape, 1))))) {
            host::refuse(host::kValue, "y has too few elements along axis 1, which rms_norm_row does not take");
        }
        if (host::is_refuted(((host::item(y.strides, 1) == 1) | (host::item(y.shape, 1) <= 1)) | (host::numel(y) == 0))) {
            host::refuse(host::kValue, "y has gaps in its last axis, which rms_norm_row does not take");
        }
        const host::Int blocks_2 = host::max(1, host::min(soc.vector_cores, host::item(x.shape, 0)));
        return host::launch("rms_norm_row_float32_float32_float32", blocks_2, 0, host::item(x.shape, 0), host::item(x.shape, 1), host::item(x.strides, 0), host::item(x.strides, 1), host::item(weight.shape, 0), host::item(weight.strides, 0), host::item(y.shape, 0), host::item(y.shape, 1), host::item(y.strides, 0), host::item(y.strides, 1), epsilon);
    }
    host::refuse(host::kType, host::text("rms_norm_row has no variant for ", x.dtype, ", ", weight.dtype, ", ", y.dtype));
}

inline host::Launch launch_of_rms_norm_parts(const host::Tensor& x, const host::Tensor& weight, const host::Tensor& y, const host::Truth& is_weighted, const double& epsilon, const host::Int& counted, const host::Soc& soc) {
    const host::Truth truth = (x.dtype == host::Dtype{2, 16}) ? host::Truth((weight.dtype == host::Dtype{2, 16}) ? host::Truth(y.dtype == host::Dtype{2, 16}) : host::Truth(false)) : host::Truth(false);
    if (host::known(truth)) {
        if (host::is_refuted((0 >= counted) | (true & (counted <= host::item(x.shape, 1))))) {
            host::refuse(host::kValue, "x has too few elements along axis 1, which rms_norm_parts does not take");
        }
        if (host::is_refuted(((host::item(x.strides, 1) == 1) | (host::item(x.shape, 1) <= 1)) | (host::numel(x) == 0))) {
            host::refuse(host::kValue, "x has gaps in its last axis, which rms_norm_parts does not take");
        }
        if (host::is_refuted(((host::item(weight.strides, 0) == 1) | (host::item(weight.shape, 0) <= 1)) | (host::numel(weight) == 0))) {
            host::refuse(host::kValue, "weight has gaps in its last axis, which rms_norm_parts does not take");
        }
        if (host::is_refuted((0 >= host::item(x.shape, 0)) | (true & (host::item(x.shape, 0) <= host::item(y.shape, 0))))) {
            host::refuse(host::kValue, "y has too few elements along axis 0, which rms_norm_parts does not take");
        }
        if (host::is_refuted((0 >= host::item(x.shape, 1)) | (true & (host::item(x.shape, 1) <= host::item(y.shape, 1))))) {
            host::refuse(host::kValue, "y has too few elements along axis 1, which rms_norm_parts does not take");
        }
        if (host::is_refuted(((host::item(y.strides, 1) == 1) | (host::item(y.shape, 1) <= 1)) | (host::numel(y) == 0))) {
            host::refuse(host::kValue, "y has gaps in its last axis, which rms_norm_parts does not take");
        }
        if (host::is_refuted(((host::item(x.shape, 0) <= 1) | (host::item(x.strides, 0) >= host::item(x.shape, -1))) | (host::numel(x) == 0))) {
            host::refuse(host::kValue, "x has rows along axis 0 that overlap, which rms_norm_parts does not take");
        }
        if (host::is_refuted(((host::item(y.shape, 0) <= 1) | (host::item(y.strides, 0) >= host::item(y.shape, -1))) | (host::numel(y) == 0))) {
            host::refuse(host::kValue, "y has rows along axis 0 that overlap, which rms_norm_parts does not take");
        }
        const host::Int blocks = host::max(1, host::min(soc.vector_cores, host::floordiv(host::item(x.shape, 0) + 3, 4)));
        return host::launch("rms_norm_parts_float16_float16_float16", blocks, 0, host::item(x.shape, 0), host::item(x.shape, 1), host::item(x.strides, 0), host::item(x.strides, 1), host::item(weight.shape, 0), host::item(weight.strides, 0), host::item(y.shape, 0), host::item(y.shape, 1), host::item(y.strides, 0), host::item(y.strides, 1), is_weighted, epsilon, counted);
    }
    const host::Truth truth_1 = (x.dtype == host::Dtype{4, 16}) ? host::Truth((weight.dtype == host::Dtype{4, 16}) ? host::Truth(y.dtype == host::Dtype{4, 16}) : host::Truth(false)) : host::Truth(false);
    if (host::known(truth_1)) {
        if (host::is_refuted((0 >= counted) | (true & (counted <= host::item(x.shape, 1))))) {
            host::refuse(host::kValue, "x has too few elements along axis 1, which rms_norm_parts does not take");
        }
        if (host::is_refuted(((host::item(x.strides, 1) == 1) | (host::item(x.shape, 1) <= 1)) | (host::numel(x) == 0))) {
            host::refuse(host::kValue, "x has gaps in its last axis, which rms_norm_parts does not take");
        }
        if (host::is_refuted(((host::item(weight.strides, 0) == 1) | (host::item(weight.shape, 0) <= 1)) | (host::numel(weight) == 0))) {
            host::refuse(host::kValue, "weight has gaps in its last axis, which rms_norm_parts does not take");
        }
        if (host::is_refuted((0 >= host::item(x.shape, 0)) | (true & (host::item(x.shape, 0) <= host::item(y.shape, 0))))) {
            host::refuse(host::kValue, "y has too few elements along axis 0, which rms_norm_parts does not take");
        }
        if (host::is_refuted((0 >= host::item(x.shape, 1)) | (true & (host::item(x.shape, 1) <= host::item(y.shape, 1))))) {
            host::refuse(host::kValue, "y has too few elements along axis 1, which rms_norm_parts does not take");
        }
        if (host::is_refuted(((host::item(y.strides, 1) == 1) | (host::item(y.shape, 1) <= 1)) | (host::numel(y) == 0))) {
            host::refuse(host::kValue, "y has gaps in its last axis, which rms_norm_parts does not take");
        }
        if (host::is_refuted(((host::item(x.shape, 0) <= 1) | (host::item(x.strides, 0) >= host::item(x.shape, -1))) | (host::numel(x) == 0))) {
            host::refuse(host::kValue, "x has rows along axis 0 that overlap, which rms_norm_parts does not take");
        }
        if (host::is_refuted(((host::item(y.shape, 0) <= 1) | (host::item(y.strides, 0) >= host::item(y.shape, -1))) | (host::numel(y) == 0))) {
            host::refuse(host::kValue, "y has rows along axis 0 that overlap, which rms_norm_parts does not take");
        }
        const host::Int blocks_1 = host::max(1, host::min(soc.vector_cores, host::floordiv(host::item(x.shape, 0) + 3, 4)));
        return host::launch("rms_norm_parts_bfloat16_bfloat16_bfloat16", blocks_1, 0, host::item(x.shape, 0), host::item(x.shape, 1), host::item(x.strides, 0), host::item(x.strides, 1), host::item(weight.shape, 0), host::item(weight.strides, 0), host::item(y.shape, 0), host::item(y.shape, 1), host::item(y.strides, 0), host::item(y.strides, 1), is_weighted, epsilon, counted);
    }
    const host::Truth truth_2 = (x.dtype == host::Dtype{2, 32}) ? host::Truth((weight.dtype == host::Dtype{2, 32}) ? host::Truth(y.dtype == host::Dtype{2, 32}) : host::Truth(false)) : host::Truth(false);
    if (host::known(truth_2)) {
        if (host::is_refuted((0 >= counted) | (true & (counted <= host::item(x.shape, 1))))) {
            host::refuse(host::kValue, "x has too few elements along axis 1, which rms_norm_parts does not take");
        }
        if (host::is_refuted(((host::item(x.strides, 1) == 1) | (host::item(x.shape, 1) <= 1)) | (host::numel(x) == 0))) {
            host::refuse(host::kValue, "x has gaps in its last axis, which rms_norm_parts does not take");
        }
        if (host::is_refuted(((host::item(weight.strides, 0) == 1) | (host::item(weight.shape, 0) <= 1)) | (host::numel(weight) == 0))) {
            host::refuse(host::kValue, "weight has gaps in its last axis, which rms_norm_parts does not take");
        }
        if (host::is_refuted((0 >= host::item(x.shape, 0)) | (true & (host::item(x.shape, 0) <= host::item(y.shape, 0))))) {
            host::refuse(host::kValue, "y has too few elements along axis 0, which rms_norm_parts does not take");
        }
        if (host::is_refuted((0 >= host::item(x.shape, 1)) | (true & (host::item(x.shape, 1) <= host::item(y.shape, 1))))) {
            host::refuse(host::kValue, "y has too few elements along axis 1, which rms_norm_parts does not take");
        }
        if (host::is_refuted(((host::item(y.strides, 1) == 1) | (host::item(y.shape, 1) <= 1)) | (host::numel(y) == 0))) {
            host::refuse(host::kValue, "y has gaps in its last axis, which rms_norm_parts does not take");
        }
        if (host::is_refuted(((host::item(x.shape, 0) <= 1) | (host::item(x.strides, 0) >= host::item(x.shape, -1))) | (host::numel(x) == 0))) {
            host::refuse(host::kValue, "x has rows along axis 0 that overlap, which rms_norm_parts does not take");
        }
        if (host::is_refuted(((host::item(y.shape, 0) <= 1) | (host::item(y.strides, 0) >= host::item(y.shape, -1))) | (host::numel(y) == 0))) {
            host::refuse(host::kValue, "y has rows along axis 0 that overlap, which rms_norm_parts does not take");
        }
        const host::Int blocks_2 = host::max(1, host::min(soc.vector_cores, host::floordiv(host::item(x.shape, 0) + 3, 4)));
        return host::launch("rms_norm_parts_float32_float32_float32", blocks_2, 0, host::item(x.shape, 0), host::item(x.shape, 1), host::item(x.strides, 0), host::item(x.strides, 1), host::item(weight.shape, 0), host::item(weight.strides, 0), host::item(y.shape, 0), host::item(y.shape, 1), host::item(y.strides, 0), host::item(y.strides, 1), is_weighted, epsilon, counted);
    }
    host::refuse(host::kType, host::text("rms_norm_parts has no variant for ", x.dtype, ", ", weight.dtype, ", ", y.dtype));
}

inline host::Launch launch(const host::Tensor& x, const host::Optional<host::Tensor>& weight, const double& epsilon, const host::Optional<host::Int>& variance_size, const host::Tensor& y, const host::Soc& soc) {
    const host::Tensor rows_1 = rows("x", x);
    const host::Tensor results = rows("y", y);
    const host::Int width = host::item(x.shape, -1);
    const host::Int counted = !host::is_none(variance_size) ? host::Int(host::given(variance_size)) : host::Int(width);
    const host::Tensor factor = !host::is_none(weight) ? host::Tensor(host::given(weight)) : host::Tensor(host::dense(host::shape(width), x.dtype));
    const host::Truth truth = !host::is_none(weight) ? host::Truth(host::known(counted == width) ? host::Truth(width <= 512) : host::Truth(false)) : host::Truth(false);
    if (host::known(truth)) {
        const host::Launch launch_1 = launch_of_rms_norm_rows(rows_1, factor, results, epsilon, soc);
        return launch_1;
    }
    const host::Truth truth_1 = !host::is_none(weight) ? host::Truth(host::known(counted == width) ? host::Truth(width <= 8192) : host::Truth(false)) : host::Truth(false);
    if (host::known(truth_1)) {
        const host::Launch launch_2 = launch_of_rms_norm_row(rows_1, factor, results, epsilon, soc);
        return launch_2;
    }
    const host::Launch launch_3 = launch_of_rms_norm_parts(rows_1, factor, results, !host::is_none(weight), epsilon, counted, soc);
    return launch_3;
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
