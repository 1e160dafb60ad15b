// Memory for one call: inside the object first, which costs nothing, then from the heap. All of it ends with the object.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <new>

namespace opwright::torch_adapter {

class Scratch {
   public:
    Scratch() = default;
    Scratch(const Scratch&) = delete;
    Scratch& operator=(const Scratch&) = delete;

    ~Scratch() {
        while (blocks_ != nullptr) {
            Block* next = blocks_->next;
            std::free(blocks_);
            blocks_ = next;
        }
    }

    // Space for `count` plain values, not initialised.
    template <typename T>
    T* take(size_t count) {
        static_assert(alignof(T) <= kAlignment);
        const size_t bytes = (count * sizeof(T) + kAlignment - 1) / kAlignment * kAlignment;
        if (bytes <= kInside - used_) {
            used_ += bytes;
            return reinterpret_cast<T*>(inside_ + used_ - bytes);
        }
        auto* block = static_cast<Block*>(std::malloc(sizeof(Block) + bytes));
        if (block == nullptr) throw std::bad_alloc();
        block->next = blocks_;
        blocks_ = block;
        return reinterpret_cast<T*>(block + 1);
    }

   private:
    static constexpr size_t kAlignment = 16, kInside = 8192;
    struct alignas(kAlignment) Block {
        Block* next;
    };
    alignas(kAlignment) char inside_[kInside];
    size_t used_ = 0;
    Block* blocks_ = nullptr;
};

}  // namespace opwright::torch_adapter
