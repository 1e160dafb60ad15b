// Conversions between two bytes and float for one instruction set, of elements without gaps: included once for each, with
//   OPWRIGHT_PATH      the namespace, which has the steps of float_loops.h
//   OPWRIGHT_TARGET    the attribute of its functions
namespace opwright::OPWRIGHT_PATH {
namespace {

template <typename T>
OPWRIGHT_TARGET inline void convert_step(const T* from, float* to) {
    widen_step(from, to);
}

template <typename T>
OPWRIGHT_TARGET inline void convert_step(const float* from, T* to) {
    narrow_step(from, to);
}

// What is left behind the last whole step is converted in memory of its own.
template <typename From, typename To>
OPWRIGHT_TARGET __attribute__((flatten)) void convert(const From* from, int64_t count, To* to) {
    int64_t i = 0;
    for (; i + kStep <= count; i += kStep) convert_step(from + i, to + i);
    if (i == count) return;
    From left[kStep] = {};
    To made[kStep];
    std::memcpy(left, from + i, static_cast<size_t>(count - i) * sizeof(From));
    convert_step(left, made);
    std::memcpy(to + i, made, static_cast<size_t>(count - i) * sizeof(To));
}

}  // namespace
}  // namespace opwright::OPWRIGHT_PATH
