/// @file runtime.cpp   What Debian's libc++ for WebAssembly leaves out: streams of files and questions about files, of which a page has none,
///                     and numbers with a point.
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace std {

template class basic_filebuf<char>;
template class basic_ifstream<char>;
template class basic_ofstream<char>;

/// As in the standard, for texts of the "C" locale; strtod rounds.
from_chars_result from_chars(const char* first, const char* last, double& value, chars_format format) {
    const auto is_digit = [last](const char* p) { return p != last && *p >= '0' && *p <= '9'; };
    const char* p = first;
    if (p != last && *p == '-') ++p;
    const auto word = [&](const char* want) -> const char* {
        const char* q = p;
        for (; *want != 0; ++want, ++q)
            if (q == last || (*q | 32) != *want) return nullptr;
        return q;
    };
    for (const char* name : {"infinity", "inf", "nan"})
        if (const char* end = word(name)) {
            value = strtod(string(first, end).c_str(), nullptr);
            return {end, errc{}};
        }
    bool is_zero = true;
    const char* digits = p;
    const auto pass = [&] {
        for (; is_digit(p); ++p) is_zero = is_zero && *p == '0';
    };
    pass();
    std::ptrdiff_t count = p - digits;
    if (p != last && *p == '.' && (count > 0 || is_digit(p + 1))) {
        ++p;
        digits = p;
        pass();
        count += p - digits;
    }
    if (count == 0) return {first, errc::invalid_argument};
    if (format != chars_format::fixed && p != last && (*p | 32) == 'e') {
        const char* q = p + 1;
        if (q != last && (*q == '+' || *q == '-')) ++q;
        if (is_digit(q)) {
            while (is_digit(q)) ++q;
            p = q;
        }
    }
    const double read = strtod(string(first, p).c_str(), nullptr);
    if (isinf(read) || (read == 0 && !is_zero)) return {p, errc::result_out_of_range};
    value = read;
    return {p, errc{}};
}

}  // namespace std

_LIBCPP_BEGIN_NAMESPACE_FILESYSTEM

namespace {
void there_is_none(error_code* error) {
    if (error != nullptr) *error = make_error_code(errc::no_such_file_or_directory);
}
}  // namespace

file_status __status(const path&, error_code* error) {
    there_is_none(error);
    return file_status(file_type::not_found);
}
bool __remove(const path&, error_code* error) {
    there_is_none(error);
    return false;
}
void __rename(const path&, const path&, error_code* error) { there_is_none(error); }
path __canonical(const path& file, error_code*) { return file; }
path __weakly_canonical(const path& file, error_code*) { return file; }
path __absolute(const path& file, error_code*) { return file; }
bool __equivalent(const path&, const path&, error_code* error) {
    there_is_none(error);
    return false;
}
directory_iterator::directory_iterator(const path&, error_code* error, directory_options) { there_is_none(error); }
const directory_entry& directory_iterator::__dereference() const { std::abort(); }  // of the end
directory_iterator& directory_iterator::__increment(error_code*) { return *this; }

_LIBCPP_END_NAMESPACE_FILESYSTEM

extern "C" {
std::uintptr_t __stack_chk_guard = 0x4B504F52;
[[noreturn]] void __stack_chk_fail() { std::abort(); }
}
