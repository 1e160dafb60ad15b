// What cores have printed: a text that grows per core, and the join of all of them in the order of the cores.
//
// In: pieces of text. Out: one text per launch, for Outcome. Refuses nothing: when there is no memory, text is lost.
#pragma once

#include <stdlib.h>
#include <string.h>

#include "cold.h"

namespace opwright {

constexpr uint64_t kPrintMax = 1 << 20;
constexpr const char* kPrintCut = "[printf output cut]\n";

struct PrintBuffer {
    PrintBuffer* next;
    char* text;
    uint64_t bytes;
    uint64_t capacity;
    uint64_t rank;  // of the core
    bool cut;
};

OPWRIGHT_COLD PrintBuffer* print_create(uint64_t rank) {
    auto buffer = static_cast<PrintBuffer*>(calloc(1, sizeof(PrintBuffer)));
    if (buffer) buffer->rank = rank;
    return buffer;
}

// Makes space for `bytes` more; false when there is no memory.
OPWRIGHT_COLD bool print_reserve(PrintBuffer& buffer, uint64_t bytes) {
    if (buffer.capacity - buffer.bytes >= bytes) return true;
    uint64_t capacity = 2 * buffer.capacity + bytes + 256;
    auto text = static_cast<char*>(realloc(buffer.text, capacity));
    if (!text) return false;
    buffer.text = text;
    buffer.capacity = capacity;
    return true;
}

OPWRIGHT_COLD void print_append(PrintBuffer& buffer, const char* text, uint64_t bytes) {
    if (!print_reserve(buffer, bytes)) return;
    memcpy(buffer.text + buffer.bytes, text, bytes);
    buffer.bytes += bytes;
}

OPWRIGHT_COLD int print_order(const void* left, const void* right) {
    uint64_t a = (*static_cast<PrintBuffer* const*>(left))->rank;
    uint64_t b = (*static_cast<PrintBuffer* const*>(right))->rank;
    return a < b ? -1 : a > b;
}

// All texts in order, ended by a 0 that is not counted; frees the buffers. Null: no memory.
OPWRIGHT_COLD char* print_join(PrintBuffer* first, uint64_t* bytes) {
    uint64_t count = 0, total = 0;
    for (PrintBuffer* buffer = first; buffer; buffer = buffer->next) ++count, total += buffer->bytes;
    auto ordered = static_cast<PrintBuffer**>(malloc(count * sizeof(PrintBuffer*)));
    auto joined = static_cast<char*>(malloc(total + 1));
    bool enough = ordered && joined;
    if (enough) {
        uint64_t at = 0;
        for (PrintBuffer* buffer = first; buffer; buffer = buffer->next) ordered[at++] = buffer;
        qsort(ordered, count, sizeof(PrintBuffer*), print_order);
        *bytes = 0;
        for (uint64_t i = 0; i < count; ++i) {
            if (ordered[i]->bytes) memcpy(joined + *bytes, ordered[i]->text, ordered[i]->bytes);
            *bytes += ordered[i]->bytes;
        }
        joined[total] = 0;
    } else {
        free(joined);
    }
    free(ordered);
    while (first) {
        PrintBuffer* next = first->next;
        free(first->text);
        free(first);
        first = next;
    }
    return enough ? joined : nullptr;
}

}  // namespace opwright
