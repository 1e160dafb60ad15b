// What a kernel, its launch and the twin's library agree on: the launch record, the state of a core and the
// table of library functions. Fixed layout; kAbi changes when anything here does.
//
// A kernel is compiled once and never linked against the library: it reaches it through Core::library, so a fast
// and a checked build live in one process without sharing a symbol.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "generated/constants.h"
#include "generated/enumerations.h"
#include "generated/faults.h"
#include "qualifiers.h"

namespace opwright {

// A core runs on its own stack of this size, aligned to it. The lowest word of the stack holds the Core, so that
// current_core() is one mask of the stack pointer: no thread-local and no global variable.
constexpr uintptr_t kStackBytes = 256 * 1024;

struct GmRange {
    uint64_t base;
    uint64_t bytes;
    uint32_t use;  // kGmRead, kGmWritten, kGmStable
    uint32_t slot;
};

// Followed in memory by `slots` 8-byte argument slots and then by `ranges` GmRange entries.
struct LaunchRecord {
    uint32_t abi;
    uint32_t bytes;       // of the whole record with slots and ranges
    uint32_t arch;        // 2201 or 3510
    uint32_t mode;        // kFast, kChecked, kPerturbed
    uint32_t grid;
    uint32_t threads;     // the most operating-system threads to use, the caller's included
    uint32_t cores;       // AIVs that run at once, if the launch has any, else AICs
    uint32_t slots;
    uint32_t ranges;
    uint32_t flags;       // kElide, kStream, kAutoSync, kRecord, kCrosses, kDoubts
    uint32_t dynamic_ub;
    uint32_t group;       // cores of one group: how many AIV, plus how many AIC << 8
    uint64_t workspace;
    uint64_t seed;        // in perturbed mode: which schedule; 0 is the program order
    uint64_t memory_bytes[kMemories];  // 0: this launch has no core with that memory

    OPWRIGHT_INLINE const uint64_t* slot_values() const { return reinterpret_cast<const uint64_t*>(this + 1); }
    OPWRIGHT_INLINE const GmRange* gm() const { return reinterpret_cast<const GmRange*>(slot_values() + slots); }
};

struct Arena {
    uint8_t* base;
    uint64_t bytes;
};

struct Core;
struct Footprint;

// One AI core: 1 AIC and 2 AIV. A vector kernel has one AIV per group and no AIC.
struct Group {
    Core* aic;
    Core* aiv[2];
};

// A GM to UB copy that has not been made: reads of [address, address + bytes) of UB go to `source`.
struct Alias {
    uint64_t address;
    uint64_t bytes;
    const uint8_t* source;
    uint32_t element_bytes;
    uint32_t reserved;
};
constexpr uint32_t kAliases = 8;

// What the checked mode knows about a buffer of the kernel's pipe.
struct BufferNote {
    BufferState state;
    uint8_t position;  // TPosition of the queue; that of no queue for a TBuf
};
constexpr uint8_t kNoPosition = 255;

// A buffer as tensors remember it: its number among those of the pipe, from 1, and the stamp that it got when it was
// given out.
OPWRIGHT_INLINE constexpr uint32_t buffer_of(uint32_t number, uint32_t stamp) { return stamp << 8 | (number + 1); }

// The mask register of the vector unit and its mode. In counter mode the first word is a number of elements.
struct MaskRegister {
    uint64_t words[4];  // the chip has two: the others are for types of which a repeat has more lanes
    bool counts;        // counter mode
    bool is_changed;    // not as a kernel finds it: normal mode, all ones
    int32_t line;       // of the call that changed it last; 0: a call with a mask of its own

    OPWRIGHT_INLINE void fill() {
        for (uint64_t& word : words) word = ~uint64_t(0);
    }
    OPWRIGHT_INLINE void reset() {
        fill();
        counts = is_changed = false;
        line = 0;
    }
    // After a change by the kernel.
    OPWRIGHT_INLINE void note(int32_t text_line) {
        is_changed = counts || (words[0] & words[1] & words[2] & words[3]) != ~uint64_t(0);
        line = is_changed ? text_line : 0;
    }
};

// What copies to global memory do to what is there: a type and an operation, numbered as in AtomicDtype and AtomicKind.
struct AtomicState {
    uint8_t type;  // 0: they overwrite it
    uint8_t operation;
    int32_t line;  // of the call that turned it on
};
enum class AtomicKind : uint8_t { SUM, MAX, MIN };

// A part of UB that the kernel watches, in bytes, and which accesses to it are errors: bit 0 of `kinds` is a read of the
// scalar unit, bit 1 its write, then those of the vector unit and of copies.
struct Watch {
    uint32_t begin;
    uint32_t end;
    uint32_t kinds;
};

enum class PrintKind : uint32_t { INTEGER, UNSIGNED, FLOAT, TEXT, POINTER };

struct PrintArgument {
    PrintKind kind;
    uint32_t reserved;
    uint64_t bits;  // an integer, the bits of a double, or the address of a text
};

// The threads of one vector function of a block: how many there are, and what each of them runs.
struct ThreadBlock {
    uint32_t dims[3];
    void (*enter)(uint32_t x, uint32_t y, uint32_t z);  // makes a thread the one that the kernel sees, before it runs
    void (*body)(const void* arguments);
    const void* arguments;
};

// What the lanes of a warp brought to the line where they met. Lanes that are not there have ended, or never were.
struct WarpMeeting {
    uint64_t values[kWarpLanes];
    uint32_t lanes;  // bit i: lane i is there
    mutable bool has_result;  // the first lane that goes on has left what is the same for all
    mutable uint64_t result;
};

// Forget: the data cache of the threads forgets the line of the address; of no bytes, all lines.
enum class ThreadAccessKind : uint32_t { READ, WRITE, ATOMIC, FORGET };

// One access of a thread: an offset in UB, or a pointer to GM.
struct ThreadAccess {
    Memory memory;
    ThreadAccessKind kind;
    uint64_t address;
    uint32_t bytes;
    uint32_t flags;   // kThreadVolatile, kThreadAddsFloats
    uint64_t origin;  // where its tensor or array starts
};

// The library, as a kernel sees it. `line` is a line of the kernel's text.
struct Library {
    // Ends the core for good; the launch reports the fault of the lowest block. Does not return.
    void (*fail)(Core* core, Fault fault, int32_t line, const int64_t* details, uint32_t count);
    // Waits until every core of the launch has come here, or every AIV of it.
    void (*sync_all)(Core* core, int32_t line, bool aiv_only);
    void (*print)(Core* core, int32_t line, const char* format, const PrintArgument* arguments, uint32_t count);
    // memcpy to global memory that bypasses the cache.
    void (*copy_streaming)(void* destination, const void* source, uint64_t bytes);
    // memcpy from global memory that fetches ahead.
    void (*copy_prefetching)(void* destination, const void* source, uint64_t bytes);
    // What a kernel built for the checked mode reports: accesses of a pipe, flags set and waited for, barriers.
    void (*note_access)(Core* core, int32_t line, uint32_t pipe, const Footprint* touched, uint32_t count);
    void (*note_flag)(Core* core, int32_t line, bool is_set, uint32_t source, uint32_t destination, uint32_t id);
    void (*note_barrier)(Core* core, int32_t line, uint32_t pipe);
    // The scalar unit's data cache has written back and forgotten the line of an address, or all of its lines.
    void (*note_cache)(Core* core, bool is_one, uint64_t address);
    // Something is wrong, and the core goes on. The first `identity` details tell it from others of the same line.
    void (*note)(Core* core, Fault fault, int32_t line, const int64_t* details, uint32_t count, uint32_t identity);
    // In perturbed mode an access is not noted: run(work) carries it out some time. `work` is copied.
    void (*defer)(Core* core, uint32_t pipe, const Footprint* touched, uint32_t count, void (*run)(void*),
                  const void* work, uint64_t bytes);
    // Adds elements to those of global memory, or keeps the greater or the smaller; no other core comes between.
    void (*combine)(Core* core, void* destination, const void* source, uint64_t bytes, AtomicState atomic);
    // Waits until a word of global memory is `expected`, and makes it `value`.
    void (*exchange)(Core* core, int32_t line, int32_t* word, int32_t expected, int32_t value);
    // Waits until `cores` cores have come here with this word of global memory.
    void (*meet)(Core* core, int32_t line, int32_t* word, uint32_t cores);
    // Sets a flag between cores once the earlier work of a pipe is done, or waits until those have set it that the mode
    // names.
    void (*cross)(Core* core, int32_t line, bool is_set, uint32_t mode, uint32_t pipe, uint32_t id);
    // Runs the threads of a block to their ends.
    void (*run_threads)(Core* core, int32_t line, const ThreadBlock* block);
    // Inside one of them: waits until all threads of the block have come here.
    void (*thread_barrier)(Core* core, int32_t line);
    // Waits until all lanes of the warp that have not ended have come here. What it returns is theirs until they meet
    // again.
    const WarpMeeting* (*warp_meet)(Core* core, int32_t line, uint64_t value);
    // What a thread of a kernel built for the checked mode touches; threads are numbered as their warps count them.
    void (*note_thread)(Core* core, int32_t line, uint32_t thread, const ThreadAccess* access);
    // What a kernel built for the checked mode reports about bytes of L0C whose unit flags a call waits for: right
    // before the access, and if it turns them over also right after it (`ends`). PIPE_M waits for empty ones and fills
    // them, PIPE_FIX the other way round.
    void (*note_unit)(Core* core, int32_t line, uint32_t pipe, bool ends, uint64_t address, uint64_t bytes);
    // A load out of L1, right after it was noted: run(work) carries it out, and may do so on other memories before, to
    // learn which bytes come from where.
    void (*note_load)(Core* core, int32_t line, void (*run)(void*), void* work);
};

// Scales of conversions: one of int32 to half; and of int16 to 8 bits one, or a tensor of 16 in UB.
struct Dequant {
    enum Kind : uint8_t { NONE, SCALAR, VECTOR };
    float to_half;
    Kind kind;  // of the others
    bool is_signed;
    int16_t offset;
    float scale;
    uint64_t address;
    uint32_t buffer;  // that of LocalTensor
};

// What SetPadValue set last.
struct PadValue {
    uint64_t bits;
    bool is_set;
};

// What SetHF32Mode and SetHF32TransMode set last.
struct ProductMode {
    bool is_hf32;
    bool ties_away;
};

// What results of the matrix unit are converted with as they leave L0C, where a call does not say it: the word of
// all columns, a tensor of words in FB, and matrices that follow one another, with the strides as they were given.
struct ResultRegisters {
    uint64_t word;
    uint64_t words;   // an address
    uint32_t buffer;  // that of LocalTensor
    bool has_words;
    uint32_t matrices;  // 0: not set
    uint32_t src_stride;
    uint32_t dst_stride;
};

// What loads of images look at beside their parameters. All zero is what a core starts with.
struct LoadSettings {
    uint64_t padding_value;  // bits of an element
    uint32_t boundary;       // byte of L1 from which on reads begin again at its start; 0: none
    int16_t repeats_more;    // than one
    uint16_t repeat_stride;
    uint8_t repeat_mode;
    uint8_t image_padding[4];  // left, right, top, bottom
    uint16_t image_height;
    uint16_t image_width;

    OPWRIGHT_INLINE uint64_t repeat_time() const { return static_cast<uint64_t>(repeats_more + 1); }
};

constexpr uint8_t bit_of(SetState state) { return static_cast<uint8_t>(1u << static_cast<uint32_t>(state)); }
constexpr uint8_t kEveryState = 15;

struct Core {
    const Library* library;
    const LaunchRecord* launch;
    Group* group;
    CoreKind kind;
    uint32_t block;      // GetBlockIdx
    uint32_t sub_block;  // GetSubBlockIdx
    uint32_t alias_count;
    Arena memory[kMemories];
    uint8_t flags[kEvents];      // of each pair of pipes: bit i is the flag of event id i
    uint8_t event_ids[kEvents];  // of each pair of pipes: bit i says that event id i was given out
    void* pipe;                  // the TPipe of the kernel, while it has one
    uint32_t newest_stamp;       // of buffers
    uint32_t stamps[kBuffers];   // of each buffer: tensors with another one are void; 0: it is not given out
    void* shapes;                // of tensors, on the heap until the core ends; each has the next one in front
    void* order;                 // in checked mode: what is known about the order of its work
    void* held;                  // in perturbed mode: work that has not been carried out
    uint64_t compared[2];        // the register of comparisons: bit i is lane i
    uint16_t merged[4];          // how many elements of each queue the last merge took
    uint64_t gathered;           // how many elements GatherMask kept last
    uint64_t workspace;          // what SetSysWorkspace set last
    uint64_t contexts[2];        // what SetHcclContext set last
    Watch watches[kWatches];     // only in checked mode
    bool is_watching;
    MaskRegister mask;
    AtomicState atomic;
    void* crossed;               // flags between cores, on the heap from the first one until the core ends
    bool has_waited;             // for the block before it
    uint64_t cycle;              // what GetSystemCycle said last
    Dequant dequant;             // what SetDeqScale set last
    PadValue pad_value;
    int32_t flag_lines[kEvents][kEventIds];  // where each flag was set last
    BufferNote buffers[kBuffers];            // only in checked mode
    Alias aliases[kAliases];
    ProductMode product_mode;
    ResultRegisters results;
    LoadSettings load_settings;  // of loads of images
    uint8_t unset;               // bits of SetState that nothing has set yet; only in checked mode
    int32_t issued_line;         // of the call that is carried out; only in checked mode

    OPWRIGHT_INLINE void sets(SetState state) { unset = static_cast<uint8_t>(unset & ~bit_of(state)); }
    OPWRIGHT_INLINE void initialise() {
        mask.reset();
        atomic = {};
        load_settings.padding_value = 0;
        load_settings.image_height = load_settings.image_width = 0;
        for (uint8_t& side : load_settings.image_padding) side = 0;
        unset = 0;
    }
};

OPWRIGHT_INLINE Core& current_core() {
    auto stack = reinterpret_cast<uintptr_t>(__builtin_frame_address(0)) & ~(kStackBytes - 1);
    return **reinterpret_cast<Core**>(stack);
}

// Where a tensor lies on the chip: a number for the kernel. Pointers made of it also learn where the tensor ends.
struct OnChipAddress {
    Memory memory;
    uint64_t address;
    uint64_t end;
    OPWRIGHT_INLINE operator uint64_t() const { return address; }
#ifdef OPWRIGHT_STRICT
    // The address is a plain number for the NPU's compiler, of which a cast makes a pointer.
    template <typename T>
    OPWRIGHT_INLINE explicit operator T*() const {
        return (T*)address;
    }
#endif
};

// The entry of a compiled kernel; it unpacks the slots and calls the kernel.
using Entry = void (*)(const uint64_t* slots);

// A core that waits. Of a flag also one of those that should have set it and have not: how often it has, and how often
// would do. `partner_line` is where that one waits itself; 0: it has ended.
struct Waiter {
    uint32_t block;
    int32_t line;
    uint32_t core_kind;
    Awaited awaited;
    uint32_t mode;
    uint32_t id;
    uint32_t partner;
    uint32_t partner_kind;
    uint32_t partner_sets;
    uint32_t sets;
    int32_t partner_line;
    uint32_t rank;  // of the core in its launch
};

// What the checked mode found at one place, on the lowest core that came there.
struct Found {
    uint32_t fault;
    int32_t line;
    uint32_t block;
    uint32_t core_kind;
    uint32_t count;  // how often
    uint32_t cores;  // on how many cores
    int64_t details[kDetails];
};

struct TraceEvent;  // library/check/event.h

// What came of a launch. `printed`, `findings` and `events` are the library's: opwright_release frees them.
struct Outcome {
    uint32_t fault;  // 0: none
    int32_t line;
    uint32_t block;
    uint32_t core_kind;
    int64_t details[kDetails];
    uint32_t waiters;  // how many cores wait, in a deadlock between cores; the first kWaiters are named
    uint32_t reserved;
    Waiter waiting[kWaiters];
    char* printed;
    uint64_t printed_bytes;
    Found* findings;
    uint64_t finding_count;
    TraceEvent* events;  // of a launch with kRecord
    uint64_t event_count;
    uint64_t events_lost;  // there were more than are kept
};

}  // namespace opwright
