/// @file answered.hpp   Questions to the text of node programs, in a run that is repeated with programs where a text throws.
#pragma once

#include <new>

namespace kport {

/// Asks. False if the text throws: the run with programs reports that in its round. Throws std::bad_alloc, which is no answer of a
/// text and would look like one that differs.
template <class Ask>
[[nodiscard]] bool answered(const Ask& ask) {
    try {
        ask();
        return true;
    } catch (const std::bad_alloc&) {
        throw;
    } catch (...) {
        return false;
    }
}

}  // namespace kport
