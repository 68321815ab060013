/// @file standard_includes_test.cpp   A file includes the headers of the standard library whose names it uses.
#include <cctype>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "app/cli/awaits_alone.hpp"
#include "tests/tidy/house_rules.hpp"
#include "tests/tidy/sources.hpp"

namespace kport::tidy {
namespace {

using Texts = std::map<std::string, std::string>;  // by path from the root

/// From a name without std:: to the header that defines it.
const std::map<std::string, std::string>& header_of() {
    static const std::map<std::string, std::string> all = [] {
        const std::map<std::string, std::string> names = {
            {"algorithm",
             "all_of any_of copy_n count_if fill find find_if lower_bound max_element min_element none_of remove_if "
             "reverse "
             "sort stable_sort transform unique upper_bound ranges::any_of ranges::contains ranges::copy ranges::count "
             "ranges::equal ranges::fill ranges::find ranges::find_if ranges::max ranges::min ranges::move "
             "ranges::reverse "
             "ranges::sort ranges::stable_sort ranges::transform"},
            {"array", "array"},
            {"atomic", "atomic atomic_ref memory_order_acquire memory_order_relaxed memory_order_release"},
            {"bit", "bit_cast bit_ceil bit_floor bit_width countl_zero countr_zero has_single_bit popcount rotl"},
            {"chrono", "chrono"},
            {"cmath", "ceil exp floor hypot isfinite isnan llround log log2 lround pow sqrt"},
            {"coroutine", "coroutine_handle suspend_always suspend_never"},
            {"cstdio", "FILE fflush fopen fputs fwrite printf"},
            {"cstdlib", "abort exit getenv strtol system"},
            {"cstring", "memchr memcmp memcpy memmove memset strcmp strerror strlen"},
            {"deque", "deque"},
            {"exception", "current_exception exception_ptr rethrow_exception uncaught_exceptions"},
            {"filesystem", "filesystem"},
            {"fstream", "fstream ifstream ofstream"},
            {"functional", "function greater"},
            {"iostream", "cerr cin cout"},
            {"iterator",
             "back_inserter distance istream_iterator istreambuf_iterator make_move_iterator next prev ssize"},
            {"limits", "numeric_limits"},
            {"map", "map multimap"},
            {"memory", "make_shared make_unique shared_ptr unique_ptr weak_ptr"},
            {"mutex", "lock_guard mutex once_flag scoped_lock unique_lock"},
            {"numeric", "accumulate exclusive_scan gcd inclusive_scan iota lcm partial_sum reduce"},
            {"optional", "nullopt optional"},
            {"queue", "priority_queue queue"},
            {"ranges", "views ranges::subrange"},
            {"set", "multiset set"},
            {"span", "span"},
            {"sstream", "istringstream ostringstream stringstream"},
            {"stdexcept", "invalid_argument logic_error out_of_range runtime_error"},
            {"string", "getline string to_string"},
            {"thread", "jthread thread this_thread"},
            {"tuple", "apply make_tuple tie tuple"},
            {"unordered_map", "unordered_map"},
            {"variant", "get_if holds_alternative monostate variant visit"},
            {"vector", "vector"}};
        std::map<std::string, std::string> by_name;
        for (const auto& [header, list] : names) {
            std::istringstream words(list);
            for (std::string word; words >> word;) by_name[word] = header;
        }
        return by_name;
    }();
    return all;
}

std::string word_at(std::string_view text, std::size_t at) {
    std::size_t end = at;
    while (end < text.size() && (std::isalnum(static_cast<unsigned char>(text[end])) || text[end] == '_')) ++end;
    return std::string(text.substr(at, end - at));
}

/// The headers that the code must include, each with a name that wants it.
std::map<std::string, std::string> wanted_by(std::string_view code) {
    std::map<std::string, std::string> wanted;
    for (std::size_t at = code.find("std::"); at != std::string_view::npos; at = code.find("std::", at + 1)) {
        if (at > 0 && (std::isalnum(static_cast<unsigned char>(code[at - 1])) || code[at - 1] == '_')) continue;
        std::string name = word_at(code, at + 5);
        if (name == "ranges") name += "::" + word_at(code, at + 5 + name.size() + 2);
        if (const auto header = header_of().find(name); header != header_of().end()) wanted[header->second] = name;
    }
    return wanted;
}

struct Included {
    std::vector<std::string> project;
    std::set<std::string> others;
};

Included included_by(const std::string& text) {
    Included included{project_includes(text), {}};
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);)
        if (line.starts_with("#include <")) included.others.insert(line.substr(10, line.find('>') - 10));
    return included;
}

/// Names whose header neither a file includes nor a header of the project that it includes, directly or through others.
Findings without_standard_headers(const Texts& texts) {
    std::map<std::string, Included> all;
    for (const auto& [name, text] : texts) all[name] = included_by(text);
    Findings findings;
    for (const auto& [name, text] : texts) {
        std::map<std::string, std::string> wanted = wanted_by(cli::code_only(text));
        std::set<std::string> seen;
        std::vector<std::string> open{name};
        while (!open.empty() && !wanted.empty()) {
            const std::string next = open.back();
            open.pop_back();
            const auto included = all.find(next);
            if (included == all.end() || !seen.insert(next).second) continue;
            for (const std::string& header : included->second.others) wanted.erase(header);
            open.insert(open.end(), included->second.project.begin(), included->second.project.end());
        }
        for (const auto& [header, of] : wanted)
            findings.push_back(fmt::format("{} uses std::{} and includes no <{}>: it compiles only after other files",
                                           name, of, header));
    }
    return findings;
}

TEST(StandardIncludes, AreMissedWhereNoHeaderOfTheProjectBringsThem) {
    const Texts texts = {
        {"a.cpp", "#include \"b.hpp\"\nstd::vector<int> v; auto n = std::ranges::find(v, 1); // std::map\n"},
        {"b.hpp", "#include \"c.hpp\"\n"},
        {"c.hpp", "#include \"b.hpp\"\n#include <vector>\n"},
        {"d.cpp", "#include <algorithm>\nauto m = std::sort;\n"}};
    EXPECT_EQ(without_standard_headers(texts),
              Findings{"a.cpp uses std::ranges::find and includes no <algorithm>: it compiles only after other files"});
}

TEST(StandardIncludes, AreInEveryFile) {
    const Texts texts = sources_of({"algorithms", "app", "bench", "bindings", "emulator", "tests"});
    ASSERT_GT(texts.size(), 500U);
    std::string told;
    for (const std::string& finding : without_standard_headers(texts)) told += finding + "\n";
    EXPECT_EQ(told, "");
}

}  // namespace
}  // namespace kport::tidy
