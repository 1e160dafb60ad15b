// The error function, the logarithm of the gamma function and its derivative. Coefficients were fitted for this file.
#pragma once

#include "math_trig.h"

namespace opwright {

constexpr double kErfcExponent[] = {
    -0.6717940840566923, 0.6726432239776567, 0.04734330684190473, -0.046895610231182674, -0.009872689366406727,
    0.008824938557327763, 0.001758933558165434, -0.002345812504982584, -0.00014624686754045134, 0.0006736788382506061,
    -9.373500301998985e-05, -0.00017430319942974635, 7.140089189099235e-05, 3.174616564355679e-05,
    -3.0187528842243815e-05, 1.3509102932957954e-07, 8.56191490492248e-06, -2.9430926821341833e-06,
    -1.271343067023655e-06, 1.2437191416721655e-06, -1.6939237579995655e-07, -2.4404662375581676e-07,
    1.538760666928522e-07, -1.711069646695314e-09, -3.9356533447809914e-08, 1.2225710551260416e-08,
    4.089222480896167e-09, -2.0464670329192375e-09,
};

// erfc(x) = t e^(p(t) - x^2) with t = 2 / (2 + x), above 0: p is a polynomial in 2 t - 1, off by less than 2^-54.
OPWRIGHT_INLINE double erfc_above_zero(double x) {
    const double t = 2.0 / (2.0 + x);
    return t * exp_of(polynomial(kErfcExponent, 2.0 * t - 1.0) - x * x);
}

constexpr double kErfSeries[] = {
    1.0, -1.0 / 3, 1.0 / 10, -1.0 / 42, 1.0 / 216, -1.0 / 1320, 1.0 / 9360, -1.0 / 75600, 1.0 / 685440,
    -1.0 / 6894720, 1.0 / 76204800, -1.0 / 918086400, 1.0 / 11975040000, -1.0 / 168129561600, 1.0 / 2528170444800,
    -1.0 / 40537905408000, 1.0 / 690452066304000,
};

// Taylor's series below 1, where 1 - erfc would lose what matters.
OPWRIGHT_INLINE double error_function(float value) {
    const double x = magnitude_of(value);
    const double inner = x * (1.1283791670955126 * polynomial(kErfSeries, x * x));
    return signed_as(choose(x < 1.0, inner, 1.0 - erfc_above_zero(x)), value);
}

OPWRIGHT_INLINE double error_function_complement(float value) {
    const double outer = erfc_above_zero(magnitude_of(value));
    return choose(value < 0.0f, 2.0 - outer, outer);
}

// The integer at or below a number from 0 to 2^51.
OPWRIGHT_INLINE double floor_above_zero(double x) {
    const double nearest = (x + 0x1p52) - 0x1p52;
    return nearest - choose(nearest > x, 1.0, 0.0);
}

// What sine and cosine of pi x are made of, for the part of x behind the point.
struct HalfTurn {
    double sine;
    double cosine;
    bool is_integer;
};

OPWRIGHT_INLINE HalfTurn half_turn_of(double size) {
    const double kept = choose(size < 0x1p24, size, 0.0);  // larger floats are integers
    const double part = kept - floor_above_zero(kept);
    const bool is_beyond = part > 0.5;
    const double inner = choose(is_beyond, 1.0 - part, part);
    const bool is_steep = inner > 0.25;
    const double angle = kPi * choose(is_steep, 0.5 - inner, inner);
    const double sine = sine_near_zero(angle), cosine = cosine_near_zero(angle);
    const double across = choose(is_steep, sine, cosine);
    return {choose(is_steep, cosine, sine), choose(is_beyond, -across, across), part == 0.0};
}

// ln(gamma(z)) / ((z - 1) (z - 2)) for z from 1 to 2, in 2 z - 3.
constexpr double kLogGamma[] = {
    0.4831289505409809, -0.07297994795715304, 0.01572785026864124, -0.003913560937626377, 0.00104981866444897,
    -0.0002945507015146143, 8.510090382501114e-05, -2.5094328729337463e-05, 7.511391135508744e-06,
    -2.274247007665434e-06, 6.948461670338335e-07, -2.1386487330773735e-07, 6.622900445314835e-08,
    -2.0616739835613578e-08, 6.44852415578375e-09, -2.0242977543119116e-09, 6.347242958511528e-10,
    -2.0053209362875985e-10, 6.658783632912748e-11, -2.115980517431393e-11, 4.7104952913992804e-12,
    -1.4980798127914213e-12, 1.2501115664892499e-12, -4.009497966372805e-13,
};
constexpr double kStirling[] = {
    1.0 / 12, -1.0 / 360, 1.0 / 1260, -1.0 / 1680, 1.0 / 1188, -691.0 / 360360, 1.0 / 156, -3617.0 / 122400,
};

// Below 8 by the recurrence that leads to numbers from 1 to 2, above by Stirling's series; a logarithm serves both.
OPWRIGHT_INLINE double log_gamma_above_zero(double x) {
    const bool is_low = x < 8.0;
    const double low = choose(is_low, x, 1.0);
    const double part = low - floor_above_zero(low);
    const auto step = [low](double k) { return choose(low - k >= 1.0, low - k, 1.0); };
    const double steps = (step(1) * step(2)) * (step(3) * step(4)) * (step(5) * step(6));
    const double product = choose(low < 1.0, low, steps);
    const double logarithm = log_of(choose(is_low, product, x));
    const double inner = part * (part - 1.0) * polynomial(kLogGamma, 2.0 * part - 1.0);
    const double outer = 1.0 / x;
    const double series = outer * polynomial(kStirling, outer * outer) + 0.9189385332046728;
    // By its sign bit, not by a choice, which g++ would make a branch of.
    const double turned = signed_as(logarithm, choose(low < 1.0, -1.0, 1.0));
    return choose(is_low, inner + turned, (x - 0.5) * logarithm - x + series);
}

// Infinite at 0 and below it at integers. Below 0 by reflection.
OPWRIGHT_INLINE double log_gamma(float value) {
    const double size = magnitude_of(value);
    const bool is_below = value < 0.0f;
    const double above = log_gamma_above_zero(choose(is_below, 1.0 + size, size));
    const HalfTurn turn = half_turn_of(size);
    const double result = choose(is_below, log_of(kPi / turn.sine) - above, above);
    const bool is_infinite = (size == double_of(kInfinite)) | (size == 0.0) | (is_below & turn.is_integer);
    return choose(is_infinite, double_of(kInfinite), result);
}

constexpr double kSlopeSeries[] = {
    1.0 / 12, -1.0 / 120, 1.0 / 252, -1.0 / 240, 1.0 / 132, -691.0 / 32760, 1.0 / 12, -3617.0 / 8160,
};

// By the recurrence up to 8 and an asymptotic series from there. Below 0 by reflection; NaN at 0 and at integers there.
OPWRIGHT_INLINE double log_gamma_slope(float value) {
    const double size = magnitude_of(value);
    const bool is_below = value < 0.0f;
    const double x = choose(is_below, 1.0 + size, size);
    const bool is_low = x < 8.0;
    const double low = choose(is_low, x, 1.0);
    const auto step = [low](double k) { return 1.0 / (low + k); };
    const double steps = step(7) + step(6) + step(5) + step(4) + step(3) + step(2) + step(1) + step(0);
    const double high = choose(is_low, x + 8.0, x);
    const double inverse = 1.0 / high;
    const double square = inverse * inverse;
    const double tail = 0.5 * inverse + square * polynomial(kSlopeSeries, square);
    const double above = log_of(high) - tail - choose(is_low, steps, 0.0);
    const HalfTurn turn = half_turn_of(size);
    const double result = above + choose(is_below, kPi * turn.cosine / turn.sine, 0.0);
    const double kept = choose(value == float_of(0x7f800000u), double_of(kInfinite), result);
    return or_nan(kept, (size == 0.0) | (is_below & turn.is_integer) | (value != value));
}

}  // namespace opwright
