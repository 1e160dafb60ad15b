// Numbers of any kind and generators, as compiled host functions get them, and the launches that they say.
#pragma once

#include "opwright/host_values.h"

namespace opwright::host {

// Other arguments -----------------------------------------------------------------------------------------------

// A number of any kind, as it was given.
struct Scalar {
    enum Kind : uint8_t { kBool, kInteger, kFloat } kind = kInteger;
    Int integer;  // of a bool 0 or 1
    double number = 0;
};

inline bool is_bool(const Scalar& one) { return one.kind == Scalar::kBool; }
inline bool is_integer(const Scalar& one) { return one.kind != Scalar::kFloat; }  // Python's bools are integers
inline bool is_float(const Scalar& one) { return one.kind == Scalar::kFloat; }

inline double to_float(const Scalar& one) { return is_float(one) ? one.number : to_float(one.integer); }

inline Int to_int(const Scalar& one) {
    if (!is_float(one)) return one.integer;
    if (one.number - one.number != 0) fault("no integer is infinite or not a number");
    if (!(std::fabs(one.number) < 9223372036854775808.0)) refuse_overflow();
    return static_cast<int64_t>(one.number);
}

// Where random numbers come from. 64 bits each, which may look negative.
struct Generator {
    Int seed;
    Int offset;
};

// Launches ------------------------------------------------------------------------------------------------------

// What a host function may ask of a SoC.
struct Soc {
    Text name;
    Int vector_cores, cube_cores, ub_bytes, l1_bytes, l0c_bytes;
};

// One launch: the variant of the kernel, groups of cores, numbers in the kernel's order, bytes of scratch memory.
struct Launch {
    Text kernel;
    int64_t blocks = 0;
    std::vector<Scalar> arguments;
    int64_t workspace = 0;
};

inline void give(Launch& launch, const Scalar& one) { launch.arguments.push_back(one); }
inline void give(Launch& launch, double number) { give(launch, Scalar{Scalar::kFloat, 0, number}); }
inline void give(Launch& launch, const Truth& truth) { give(launch, Scalar{Scalar::kBool, known(truth), 0}); }
inline void give(Launch& launch, bool truth) { give(launch, Truth(truth)); }
inline void give(Launch& launch, const Int& number) { give(launch, Scalar{Scalar::kInteger, known(number), 0}); }
inline void give(Launch& launch, int64_t number) { give(launch, Int(number)); }
inline void give(Launch& launch, int number) { give(launch, Int(number)); }
inline void give(Launch& launch, const Shape& numbers) {
    for (int64_t i = 0; i < numbers.count(); ++i) give(launch, numbers[i]);
}

// Every size of a launch is known.
template <typename... Arguments>
inline Launch launch(const Text& kernel, const Int& blocks, const Int& workspace, const Arguments&... arguments) {
    Launch made;
    made.kernel = kernel;
    made.blocks = known(blocks);
    (give(made, arguments), ...);
    made.workspace = known(workspace);
    return made;
}

}  // namespace opwright::host
