/// @file leaks_of_fonts.cpp   Under LeakSanitizer: what fontconfig, which a PNG needs, keeps to the end is no leak of kport.
#include "tests/support/sanitizers.hpp"

#ifdef KPORT_UNDER_ADDRESS_SANITIZER
extern "C" const char* __lsan_default_suppressions();  // NOLINT: the name is the sanitizer's
extern "C" const char* __lsan_default_suppressions() { return "leak:libfontconfig\n"; }  // NOLINT
#endif
