/// @file sanitizers.hpp   The sanitizer of this build (cmake/kport_flags.cmake); long tests are shorter under one.
#pragma once

#include <cstdint>
#include <cstdlib>

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

/// The first of many similar cases, and then each `one_of`-th, where a sanitizer is at work each `under_one`-th; all of them in
/// `./dev night`, which sets KPORT_EVERY_CASE. A prime number samples every loop around them.
class Sample {
  public:
    explicit Sample(unsigned under_one, unsigned one_of = 1)
        : one_of_(std::getenv("KPORT_EVERY_CASE") != nullptr ? 1
                  : under_sanitizer                          ? under_one
                                                             : one_of) {}
    /// Whether the next case is not drawn.
    [[nodiscard]] bool leaves_out() { return cases_++ % one_of_ != 0; }
    /// Of so many cases about one is drawn.
    [[nodiscard]] unsigned one_of() const { return one_of_; }

  private:
    unsigned one_of_;
    std::uint64_t cases_ = 0;
};

}  // namespace kport::test
