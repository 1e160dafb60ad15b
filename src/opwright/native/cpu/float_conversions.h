// Conversions between two bytes and float for one instruction set, of elements without gaps: included once for each, with
//   OPWRIGHT_PATH      the namespace, which has the steps of float_loops.h
//   OPWRIGHT_TARGET    the attribute of its functions
namespace opwright::OPWRIGHT_PATH {
namespace {

// `step` for whole vectors, and for what is left in vectors of its own.
template <typename To, typename From>
OPWRIGHT_TARGET inline void by_steps(const From* from, int64_t count, To* to, void (*step)(const From*, To*)) {
    int64_t i = 0;
    for (; i + kStep <= count; i += kStep) step(from + i, to + i);
    if (i == count) return;
    From left[kStep] = {};
    To made[kStep];
    std::memcpy(left, from + i, static_cast<size_t>(count - i) * sizeof(From));
    step(left, made);
    std::memcpy(to + i, made, static_cast<size_t>(count - i) * sizeof(To));
}

template <typename T>
OPWRIGHT_TARGET __attribute__((flatten)) void widen_all(const T* from, int64_t count, float* to) {
    by_steps(from, count, to, widen_step<T>);
}

template <typename T>
OPWRIGHT_TARGET __attribute__((flatten)) void narrow_all(const float* from, int64_t count, T* to) {
    by_steps(from, count, to, narrow_step<T>);
}

}  // namespace
}  // namespace opwright::OPWRIGHT_PATH
