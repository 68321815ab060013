#include "app/requests/places.hpp"

#include <filesystem>

#include <fmt/format.h>

#include "app/requests/client.hpp"
#include "emulator/base/error.hpp"
#include "emulator/base/nearest.hpp"
#include "emulator/base/whole_file.hpp"

namespace kport::requests {

namespace {

/// "--plot 'x.svg'".
std::string named_place(std::string_view option, const std::string& file) {
    return option.empty() ? quoted(file) : fmt::format("{} {}", option, quoted(file));
}

[[noreturn]] void refuse_place(std::string_view option, const std::string& file, const std::string& why) {
    throw RequestError(fmt::format("{}: {}", named_place(option, file), why));
}

}  // namespace

void require_usable_name(std::string_view option, const std::string& file) {
    if (file == "-") refuse_place(option, file, "standard output is no place for it; want a file, such as ./-");
    if (std::filesystem::is_directory(file)) refuse_place(option, file, "is a folder; want a file");
    const std::filesystem::path folder = std::filesystem::path(file).parent_path();
    if (!folder.empty() && !std::filesystem::is_directory(folder))
        refuse_place(option, file, fmt::format("there is no folder {}", quoted(folder.string())));
}

void require_writable_place(std::string_view option, const std::string& file) {
    require_usable_name(option, file);
    if (const auto why = why_not_replaced(file))
        refuse_place(option, file, fmt::format("cannot be written ({})", *why));
}

void replace_named_file(std::string_view option, const std::string& file,
                        const std::function<void(std::ostream&)>& write) {
    if (const auto why = replace_file(file, write))
        throw OutputError(fmt::format("{}: cannot be written ({})", named_place(option, file), *why), false);
}

}  // namespace kport::requests
