#include "app/cli/own_algorithms.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <deque>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "algorithms/own_algorithm.hpp"
#include "algorithms/support/fit.hpp"
#include "algorithms/support/planned.hpp"
#include "app/cli/commands.hpp"
#include "app/cli/output.hpp"
#include "app/cli/supervised.hpp"
#include "app/files/whole_text.hpp"
#include "app/requests/performed.hpp"
#include "emulator/base/error.hpp"
#include "emulator/base/nearest.hpp"

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

/// Keeps the name until the program ends: rows of the catalogue hold views of it.
std::string_view kept(const std::string& name) {
    static std::deque<std::string> names;
    return names.emplace_back(name);
}

void load(const std::string& name, const fs::path& object) {
    void* const library = dlopen(fs::absolute(object).c_str(), RTLD_NOW | RTLD_LOCAL);
    const auto algorithm =
        library == nullptr ? nullptr : reinterpret_cast<const Algorithm* (*)()>(dlsym(library, "kport_algorithm"));
    if (algorithm == nullptr)
        throw RequestError(fmt::format("algorithm {} cannot be loaded: {}", quoted(name), dlerror()));
    Algorithm row = *algorithm();
    row.name = row.source = kept(name);
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
            if (std::ranges::find(files, name) != files.end())
                throw RequestError(
                    fmt::format("--with {}: this file is compared already; want each once", quoted(name)));
            files.emplace_back(name);
        }
    return files;
}

}  // namespace

OwnFiles::OwnFiles(const Words& words) : files_(files_in(words)) {
    for (const std::string& file : files_) {
        require_there(file);
        objects_.push_back(fs::path(file).extension() == ".so" ? fs::path(file) : compiled(file));
        require_built_for_this(file, objects_.back());
    }
}

std::string OwnFiles::names() const { return fmt::format("{}", fmt::join(files_, ", ")); }

void OwnFiles::load() const {
    const bool sealed = sealed_if_asked();
    for (std::size_t i = 0; i < files_.size(); ++i) cli::load(files_[i], objects_[i]);
    if (!sealed) give_signs_of_life();
}

void OwnFiles::load(const std::string& file) const {
    const auto at = std::ranges::find(files_, file) - files_.begin();
    const bool sealed = sealed_if_asked();
    cli::load(file, objects_.at(static_cast<std::size_t>(at)));
    if (!sealed) give_signs_of_life();
}

std::optional<int> reported_by_own_files(const Words& words) {
    const OwnFiles files(words);
    if (files.empty()) return std::nullopt;
    std::string text;
    int status = status_stopped;
    {
        const auto supervision = supervise(files.names());
        if (supervision == nullptr) {
            files.load();
            return std::nullopt;
        }
        std::string bytes;
        Piece kind = supervision->next(bytes);
        for (; kind == Piece::text; kind = supervision->next(bytes)) text += std::exchange(bytes, "");
        if (kind != Piece::end || bytes.size() != 1 || bytes.front() < status_lawful || bytes.front() > status_stopped)
            throw NoVerdict(fmt::format("{} ended without a complete report; no verdict", files.names()),
                            status_stopped);
        status = static_cast<unsigned char>(bytes.front());
    }
    write_out(text);
    return status;
}

namespace {
const Schedule* followed = nullptr;
}

void follow(const Schedule& schedule) { followed = &schedule; }

void follow_in_catalogue(const Operation& operation, const std::string& file, const OwnFacts& facts) {
    Algorithm row{
        .operation = operation,
        .name = kept(file),
        .rule = facts.rule,
        .needs = {},
        .cost = {},
        .source = {},
        .misfit = [](const Machine&, const Collective&,
                     const AlgorithmOptions& options) { return takes_no_options(options); },
        .make =
            [](const Machine& machine, const Collective& collective, const AlgorithmOptions& options) {
                return following(*followed, machine, folding(collective, options.reduction));
            },
        .expect = [](const Machine&, const Collective&, const AlgorithmOptions&) { return ExpectedCost{}; },
    };
    row.is_own = true;
    row.by_default = false;
    row.with_many = WithMany::own;
    if (facts.in_order)
        row.in_order = {[](const Machine&, const Collective&, const AlgorithmOptions&) { return true; }, "always"};
    add_to_catalogue(row);
}

}  // namespace kport::cli
