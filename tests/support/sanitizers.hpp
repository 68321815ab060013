/// @file sanitizers.hpp   The sanitizer of this build (cmake/kport_flags.cmake); long tests are shorter under one.
#pragma once

#include <cstdint>

namespace kport::test {

#ifdef KPORT_UNDER_ADDRESS_SANITIZER
inline constexpr bool under_address_sanitizer = true;
#else
inline constexpr bool under_address_sanitizer = false;
#endif

#ifdef KPORT_UNDER_THREAD_SANITIZER
inline constexpr bool under_thread_sanitizer = true;
#else
inline constexpr bool under_thread_sanitizer = false;
#endif

inline constexpr bool under_sanitizer = under_address_sanitizer || under_thread_sanitizer;

/// All of many similar cases; under a sanitizer the first and then each `one_of`-th. A prime number samples every loop
/// around them.
class Sample {
  public:
    constexpr explicit Sample(unsigned one_of) : one_of_(one_of) {}
    /// Whether the next case is not drawn.
    [[nodiscard]] constexpr bool leaves_out() { return under_sanitizer && cases_++ % one_of_ != 0; }
    /// Of so many cases about one is drawn.
    [[nodiscard]] constexpr unsigned one_of() const { return under_sanitizer ? one_of_ : 1; }

  private:
    unsigned one_of_;
    std::uint64_t cases_ = 0;
};

}  // namespace kport::test
