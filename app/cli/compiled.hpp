/// @file compiled.hpp   An algorithm's source becomes a shared object.
#pragma once

#include <filesystem>
#include <string>

namespace kport::cli {

/// The shared object of a source: compiled against kport's headers, with signs of life, or kept from an earlier time when the
/// preprocessed source was the same (in the user's cache). The compiler is $CXX, else c++, g++ or clang++; it gets $CXXFLAGS too.
/// What the compiler says goes to standard error.
///
/// Errors   RequestError: a file that cannot be read or does not compile, a co_await that g++ 12 miscompiles, no headers, no
///          compiler.
[[nodiscard]] std::filesystem::path compiled(const std::string& source);

}  // namespace kport::cli
