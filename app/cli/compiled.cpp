#include "app/cli/own_algorithms.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/cli/awaits_alone.hpp"
#include "app/cli/process.hpp"
#include "app/cli/progress.hpp"
#include "app/files/whole_text.hpp"
#include "app/measure/calibration_file.hpp"
#include "emulator/base/error.hpp"
#include "emulator/base/nearest.hpp"

namespace kport::cli {

namespace {

namespace fs = std::filesystem;

/// Beside the program: where it was built, or where it is installed.
fs::path header_folder() {
    const fs::path program = fs::read_symlink("/proc/self/exe").parent_path();
    const fs::path built = program / "include";
    const fs::path installed = program.parent_path() / "include";
    for (const fs::path& folder : {built, installed})
        if (fs::exists(folder / "kport/kport.hpp")) return folder;
    throw RequestError(
        fmt::format("an algorithm in a file needs kport's headers, and neither {} nor {} has kport/kport.hpp; install "
                    "the library beside the program",
                    quoted(built.string()), quoted(installed.string())));
}

/// A compiler and what it is always given.
struct Compiler {
    std::string name;
    std::vector<std::string> flags;

    /// Nothing where there is no such compiler.
    [[nodiscard]] std::optional<Ended> run(const std::vector<std::string>& more) const {
        std::vector<std::string> command{name};
        command.insert(command.end(), flags.begin(), flags.end());
        command.insert(command.end(), more.begin(), more.end());
        return run_program(name, command);
    }
};

std::vector<std::string> words_of_variable(const char* name) {
    const char* const text = std::getenv(name);
    std::vector<std::string> words;
    for (const std::string_view word : split(text == nullptr ? "" : text, ' '))
        if (!word.empty()) words.emplace_back(word);
    return words;
}

/// What the compiler says is told as it is.
void require_success(const Ended& ended, const std::string& source, const Compiler& compiler) {
    (void)std::fputs(ended.err.c_str(), stderr);
    if (!ended.well())
        throw RequestError(
            fmt::format("algorithm {} does not compile; {} says why above", quoted(source), compiler.name));
}

/// The first compiler that there is, and what it answered to these words. `what` begins the refusal: "algorithm './x.cpp'".
std::pair<Compiler, Ended> first_compiler(const std::string& what, const std::vector<std::string>& words) {
    Compiler compiler{"", {"-std=c++20", "-O2", "-fPIC", "-fvisibility=hidden", "-isystem", header_folder().string()}};
    for (std::string& flag : words_of_variable("CXXFLAGS")) compiler.flags.push_back(std::move(flag));
    std::vector<std::string> candidates = words_of_variable("CXX");
    if (candidates.empty()) candidates = {"c++", "g++", "clang++"};
    for (const std::string& name : candidates) {
        compiler.name = name;
        if (std::optional<Ended> ended = compiler.run(words)) return {compiler, *std::move(ended)};
    }
    throw RequestError(fmt::format("{} needs a C++20 compiler, and there is none of this name: {} ($CXX names another)",
                                   what, fmt::join(candidates, ", ")));
}

/// The source with all that it includes, and the compiler that has put it together. Without the lines that say where it stands: the
/// same text is the same algorithm in any folder.
std::pair<Compiler, std::string> preprocessed(const std::string& source) {
    auto [compiler, ended] = first_compiler(fmt::format("algorithm {}", quoted(source)), {"-E", "-P", source});
    require_success(ended, source, compiler);
    return {std::move(compiler), std::move(ended.out)};
}

/// Removes what was not used for a month.
void forget_old_ones(const fs::path& folder) {
    std::error_code none;
    const auto long_ago = fs::file_time_type::clock::now() - std::chrono::hours(30 * 24);
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, none))
        if (entry.last_write_time(none) < long_ago) fs::remove_all(entry.path(), none);
}

void mark_as_used(const fs::path& path) {
    std::error_code none;
    fs::last_write_time(path, fs::file_time_type::clock::now(), none);
}

/// A word that is another one when a header, the compiler's name or a flag is.
std::size_t print_of(const Compiler& compiler) {
    const fs::path headers = header_folder() / "kport";
    std::vector<std::string> all{"with kport.hpp", headers.string(), compiler.name,
                                 fmt::format("{}", fmt::join(compiler.flags, " "))};
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(headers))
        if (entry.is_regular_file())
            all.push_back(fmt::format("{} {} {}", entry.path().string(), entry.file_size(),
                                      entry.last_write_time().time_since_epoch().count()));
    std::ranges::sort(all);
    return std::hash<std::string>()(fmt::format("{}", fmt::join(all, "\n")));
}

/// Returns the folder in which g++ finds kport's headers read beforehand; then a file compiles in a quarter of the time. Nothing for other
/// compilers, and nothing for the first file: to read them takes as long as two files, and there may be no second one.
std::optional<fs::path> headers_read_beforehand(const Compiler& compiler) {
    const fs::path place = measure::cache_folder() / "headers" / fmt::format("{:016x}", print_of(compiler));
    const fs::path ready = place / "kport/kport.hpp.gch";  // where `#include <kport/kport.hpp>` looks for it
    std::error_code none;
    mark_as_used(place);
    if (fs::exists(ready, none)) return std::optional(place);
    if (fs::create_directories(ready.parent_path(), none) || none) return std::nullopt;
    const std::optional<Ended> version = compiler.run({"--version"});
    if (!version || version->out.find("Free Software Foundation") == std::string::npos) return std::nullopt;
    forget_old_ones(place.parent_path());
    std::ofstream(place / "kport/kport.hpp") << "#include_next <kport/kport.hpp>\n";  // where it is included twice
    const fs::path unfinished = fmt::format("{}.{}", ready.string(), getpid());
    const std::optional<Ended> ended = compiler.run(
        {"-w", "-x", "c++-header", "-o", unfinished.string(), (header_folder() / "kport/kport.hpp").string()});
    if (ended && ended->well())
        fs::rename(unfinished, ready, none);
    else
        fs::remove(unfinished, none);
    return fs::exists(ready, none) ? std::optional(place) : std::nullopt;
}

/// Compiles it to a shared object. A compiler that cannot take in what it has read beforehand says so of a PCH; then it reads all again.
std::optional<Ended> compiled_to(const std::string& object, const std::string& source, const Compiler& compiler) {
    const std::vector<std::string> what{"-shared", "-o", object, source};
    if (const auto ready = headers_read_beforehand(compiler)) {
        Compiler quick = compiler;
        quick.flags.insert(quick.flags.begin(), {"-isystem", ready->string()});
        std::optional<Ended> ended = quick.run(what);
        if (!ended || ended->well() || ended->err.find("PCH") == std::string::npos) return ended;
    }
    return compiler.run(what);
}

fs::path place_of(const std::string& source, const Compiler& compiler, const std::string& text) {
    const fs::path folder = measure::cache_folder() / "algorithms";
    std::error_code error;
    fs::create_directories(folder, error);
    if (error)
        throw RequestError(fmt::format("no shared object can be kept in {}: {}; $XDG_CACHE_HOME names another place",
                                       quoted(folder.string()), error.message()));
    const std::string all = fmt::format("{} {} {}", compiler.name, fmt::join(compiler.flags, " "), text);
    return folder / fmt::format("{}-{:016x}.so", fs::path(source).stem().string(), std::hash<std::string>()(all));
}

fs::path made(const std::string& source) {
    const auto [compiler, text] = preprocessed(source);
    fs::path object = place_of(source, compiler, text);
    std::error_code none;
    if (fs::exists(object, none)) {
        mark_as_used(object);
        return object;
    }
    forget_old_ones(object.parent_path());
    const fs::path unfinished = fmt::format("{}.{}", object.string(), getpid());
    const std::optional<Ended> ended = compiled_to(unfinished.string(), source, compiler);
    if (!ended || !ended->well()) fs::remove(unfinished, none);
    if (ended) require_success(*ended, source, compiler);
    fs::rename(unfinished, object);
    return object;
}

}  // namespace

Toolchain toolchain() {
    const Compiler compiler = first_compiler("a C++ hand-in", {"--version"}).first;
    Toolchain tools{compiler.name, compiler.flags, {header_folder()}};
    std::optional<fs::path> ready = headers_read_beforehand(compiler);
    if (!ready) ready = headers_read_beforehand(compiler);  // the first call only notes that a file was compiled
    if (ready) {
        tools.flags.insert(tools.flags.begin(), {"-isystem", ready->string()});
        tools.headers.push_back(*ready);
    }
    return tools;
}

fs::path compiled(const std::string& source) {
    const std::string ending = fs::path(source).extension().string();
    if (ending != ".cpp" && ending != ".cc" && ending != ".cxx")
        throw RequestError(
            fmt::format("algorithm {} is no C++ file; want one, such as ./mine.cpp ('kport new' writes one), or "
                        "a name ('kport list algorithms' shows all)",
                        quoted(source)));
    if (const auto wrong = awaits_not_alone(source, text_in_file(source, "algorithm")); !wrong.empty())
        throw RequestError(fmt::format("algorithm {}", wrong.front()));
    const std::string doing = fmt::format("{} is being compiled", source);
    nothing_to_tell_while(doing);
    return with_signs_of_life(doing, [&] { return made(source); });
}

}  // namespace kport::cli
