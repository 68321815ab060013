/// @file element_types.hpp   The records of the table's types, for its operators.
#pragma once

#include <cstdint>

#include "emulator/node/operator.hpp"

namespace kport {

/// An element of minloc and maxloc.
struct ElementAndIndex {
    std::uint64_t bits = 0;
    std::uint64_t index = 0;
};

namespace rows {

extern const ElementTypeRecord int64;
extern const ElementTypeRecord int32;
extern const ElementTypeRecord uint64;
extern const ElementTypeRecord real;
extern const ElementTypeRecord real32;
extern const ElementTypeRecord real16;
extern const ElementTypeRecord brain16;
extern const ElementTypeRecord text;

/// Pairs of such an element and an index.
extern const ElementTypeRecord int64_and_index;
extern const ElementTypeRecord int32_and_index;
extern const ElementTypeRecord uint64_and_index;
extern const ElementTypeRecord real_and_index;
extern const ElementTypeRecord real32_and_index;
extern const ElementTypeRecord real16_and_index;
extern const ElementTypeRecord brain16_and_index;

}  // namespace rows

}  // namespace kport
