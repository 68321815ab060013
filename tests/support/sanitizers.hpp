/// @file sanitizers.hpp   Under which sanitizer a test was compiled (cmake/kport_flags.cmake): what takes long there is less.
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

}  // namespace kport::test
