// For test_product.py: products over matrices as they lie on the chip, and the indices of the layouts.
#include "opwright/cube_product.h"

#define OPWRIGHT_EXPORT extern "C" __attribute__((visibility("default")))
#define OPWRIGHT_PRODUCT(name, T)                                                                                     \
    OPWRIGHT_EXPORT void name(opwright::CubeSum<T>* c, const T* a, int64_t a_lies, const T* b, const int64_t* sides,  \
                              int64_t start, const opwright::CubeSum<T>* bias) {                                      \
        opwright::cube_product(c, a, static_cast<opwright::CubeLeft>(a_lies), b, {sides[0], sides[1], sides[2]},      \
                               static_cast<opwright::CubeStart>(start), bias);                                        \
    }

OPWRIGHT_PRODUCT(product_float32, float)
OPWRIGHT_PRODUCT(product_float16, half)
OPWRIGHT_PRODUCT(product_bfloat16, bfloat16_t)
OPWRIGHT_PRODUCT(product_int8, int8_t)

OPWRIGHT_EXPORT int64_t nz(int64_t row, int64_t column, const int64_t* sides, int64_t c0) {
    return opwright::nz_index(row, column, sides[0], c0);
}
OPWRIGHT_EXPORT int64_t zz(int64_t row, int64_t column, const int64_t* sides, int64_t c0) {
    return opwright::zz_index(row, column, sides[1], c0);
}
OPWRIGHT_EXPORT int64_t zn(int64_t row, int64_t column, const int64_t* sides, int64_t c0) {
    return opwright::zn_index(row, column, sides[1], c0);
}
