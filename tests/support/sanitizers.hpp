/// @file sanitizers.hpp   The sanitizer of this build (cmake/kport_flags.cmake); long tests are shorter under one.
#pragma once

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

}  // namespace kport::test
