#include "cli/own_algorithms.hpp"

#include <dlfcn.h>

#include <deque>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "algorithms/own_algorithm.hpp"
#include "cli/compiled.hpp"
#include "cli/supervised.hpp"
#include "emulator/base/error.hpp"
#include "emulator/base/nearest.hpp"
#include "files/whole_text.hpp"

namespace kport::cli {

namespace {

namespace fs = std::filesystem;

/// In the folder where kport was started, unless it says another.
void require_there(const std::string& name) {
    std::error_code none;
    if (fs::exists(name, none)) return;
    throw RequestError(
        fmt::format("algorithm {}: there is no file {}; want one, such as ./mine.cpp ('kport new' writes one), or a "
                    "name ('kport list algorithms' shows all)",
                    quoted(name), fs::absolute(name).lexically_normal().string()));
}

/// Looks into the file before any of it runs.
void require_built_for_this(const std::string& name, const fs::path& object) {
    constexpr std::string_view mark = "kport built for ";
    const std::string bytes = text_in_file(object.string(), "algorithm");
    const std::size_t at = bytes.find(mark);
    if (at == std::string::npos)
        throw RequestError(
            fmt::format("algorithm {} has no KPORT_ALGORITHM(.operation = ..., .program = ...); 'kport new' writes a "
                        "file that has",
                        quoted(name)));
    const std::string built_for = bytes.substr(at + mark.size(), bytes.find('\0', at) - at - mark.size());
    if (built_for != KPORT_BUILD)
        throw RequestError(
            object == fs::path(name)
                ? fmt::format(
                      "algorithm {} was built for kport {}, and this is {}; want it built again from its source",
                      quoted(name), quoted(built_for), KPORT_BUILD)
                : fmt::format(
                      "algorithm {}: the headers beside the program are of kport {}, and this is {}; install both "
                      "again",
                      quoted(name), quoted(built_for), KPORT_BUILD));
}

void load(const std::string& name, const fs::path& object) {
    void* const library = dlopen(fs::absolute(object).c_str(), RTLD_NOW | RTLD_LOCAL);
    const auto algorithm =
        library == nullptr ? nullptr : reinterpret_cast<const Algorithm* (*)()>(dlsym(library, "kport_algorithm"));
    if (algorithm == nullptr)
        throw RequestError(fmt::format("algorithm {} cannot be loaded: {}", quoted(name), dlerror()));
    static std::deque<std::string> names;  // the rows name them
    Algorithm row = *algorithm();
    row.name = row.source = names.emplace_back(name);
    add_to_catalogue(row);
}

std::vector<std::string> files_in(const Words& words) {
    std::vector<std::string> files;
    if (const auto name = words.get("--algorithm"); name && is_algorithm_file(*name)) files.push_back(*name);
    if (const auto names = words.get("--with"))
        for (const std::string_view name : split(*names, ' ')) {
            if (!is_algorithm_file(name))
                throw RequestError(fmt::format(
                    "--with {} is no file; want an algorithm of your own, such as ./mine.cpp", quoted(name)));
            files.emplace_back(name);
        }
    return files;
}

}  // namespace

bool is_algorithm_file(std::string_view name) { return name.find_first_of("./") != std::string_view::npos; }

void know_own_algorithms(const Words& words) {
    const std::vector<std::string> files = files_in(words);
    if (files.empty()) return;
    std::vector<fs::path> objects;
    for (const std::string& file : files) {
        require_there(file);
        objects.push_back(fs::path(file).extension() == ".so" ? fs::path(file) : compiled(file));
        require_built_for_this(file, objects.back());
    }
    go_on_supervised(fmt::format("{}", fmt::join(files, ", ")));
    for (std::size_t i = 0; i < files.size(); ++i) load(files[i], objects[i]);
}

}  // namespace kport::cli
