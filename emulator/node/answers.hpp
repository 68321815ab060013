/// @file answers.hpp   What a text answers for all nodes: asked when it is first needed, and remembered.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <stdexcept>
#include <string_view>

#include <fmt/format.h>

namespace kport {

/// The answers to a question that is asked with a number, such as the port of a step. All nodes of all runs of a program get one
/// answer: the text is asked twice when a number first comes up, and must give equal answers. What it throws is remembered, too.
///
/// Callers   several threads.
/// Memory    of each number up to twice the largest asked for: Answer and a word.
template <class Answer>
class Answers {
  public:
    explicit Answers(std::string_view question) : question_(question) {}

    /// `ask(i)`: of the text. Throws what that throws; std::invalid_argument where the text gives two answers. O(1).
    template <class Ask>
    [[nodiscard]] Answer at(std::uint32_t i, const Ask& ask) {
        const std::uint64_t place = std::uint64_t{i} + 1;
        const auto block = static_cast<unsigned>(std::bit_width(place)) - 1;
        const std::uint64_t in_block = place - (std::uint64_t{1} << block);
        const Slot* slots = blocks_[block].load(std::memory_order_acquire);
        if (slots != nullptr && slots[in_block].known.load(std::memory_order_acquire)) [[likely]]
            return slots[in_block].answer;
        return first_at(i, block, in_block, ask);
    }
    /// To a question without a number.
    template <class Ask>
    [[nodiscard]] Answer at(const Ask& ask) {
        return at(0, [&](std::uint32_t) { return ask(); });
    }

  private:
    struct Slot {
        std::atomic<bool> known = false;
        Answer answer{};
    };

    template <class Ask>
    Answer first_at(std::uint32_t i, unsigned block, std::uint64_t in_block, const Ask& ask) {
        const std::lock_guard lock(asking_);
        if (const auto failed = failed_.find(i); failed != failed_.end()) std::rethrow_exception(failed->second);
        if (!memory_[block]) {
            memory_[block] = std::make_unique<Slot[]>(std::size_t{1} << block);
            blocks_[block].store(memory_[block].get(), std::memory_order_release);
        }
        Slot& slot = memory_[block][in_block];
        if (slot.known) return slot.answer;
        try {
            slot.answer = ask(i);
            if (!(ask(i) == slot.answer))
                throw std::invalid_argument(
                    fmt::format("a text answers {}({}) in two ways; want one answer to one question", question_, i));
        } catch (const std::bad_alloc&) {
            throw;  // no answer
        } catch (...) {
            failed_[i] = std::current_exception();
            throw;
        }
        slot.known.store(true, std::memory_order_release);
        return slot.answer;
    }

    static constexpr std::size_t blocks_most = 33;  ///< of 1, 2, 4, ... numbers
    std::string_view question_;
    std::array<std::atomic<const Slot*>, blocks_most> blocks_{};
    std::array<std::unique_ptr<Slot[]>, blocks_most> memory_;
    std::map<std::uint32_t, std::exception_ptr> failed_;
    std::mutex asking_;
};

}  // namespace kport
