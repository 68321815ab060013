#include "tests/docs/session.hpp"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <regex>
#include <sstream>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

namespace kport::docs {
namespace {

/// Marks the end of a command's output; no program prints it.
constexpr std::string_view mark = "\x1e end of output";

std::vector<std::string> lines_of(std::string_view text) {
    std::vector<std::string> lines;
    std::istringstream in{std::string(text)};
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    return lines;
}

std::string right_trimmed(std::string line) {
    line.erase(line.find_last_not_of(" \t") + 1);
    return line;
}

/// Masks the times in the column "ns a message" of a table, from its heading to a blank line.
void blank_times(std::vector<std::string>& lines) {
    constexpr std::string_view heading = "ns a message";
    std::size_t at = std::string::npos;
    for (std::string& line : lines) {
        if (line.find(heading) != std::string::npos && !line.starts_with("chip"))
            at = line.find(heading);
        else if (line.empty())
            at = std::string::npos;
        else if (at != std::string::npos && line.size() >= at + heading.size())
            line.replace(at, heading.size(), heading.size(), '#');
    }
}

std::string shell_quoted(const std::string& text) {
    std::string quoted = "'";
    for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return quoted + "'";
}

std::string output_of(const std::string& command) {
    const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
    if (!pipe) throw std::runtime_error("cannot start a shell");
    std::string output;
    std::array<char, 4096> buffer{};
    for (std::size_t got = 0; (got = std::fread(buffer.data(), 1, buffer.size(), pipe.get())) > 0;)
        output.append(buffer.data(), got);
    return output;
}

/// Without the lines of progress, which come where the computer has much else to do.
std::string without_progress(const std::string& output) {
    static const std::regex progress(R"(kport: \d+ s: .*)");
    std::string text;
    for (const std::string& line : lines_of(output))
        if (!std::regex_match(line, progress)) text += line + "\n";
    return text;
}

}  // namespace

std::vector<Exchange> exchanges_of(std::string_view block) {
    std::vector<Exchange> exchanges;
    bool goes_on = false;
    for (const std::string& line : lines_of(block)) {
        if (goes_on) {
            exchanges.back().command += "\n" + line;
        } else if (line.starts_with("$ ")) {
            exchanges.push_back({line.substr(2), {}});
        } else if (exchanges.empty()) {
            throw std::runtime_error("the block does not begin with a command: " + line);
        } else {
            exchanges.back().output += line + "\n";
            continue;
        }
        goes_on = line.ends_with('\\');
    }
    return exchanges;
}

std::string block_of(const std::vector<Exchange>& exchanges) {
    std::string block;
    for (const Exchange& exchange : exchanges) block += "$ " + exchange.command + "\n" + exchange.output;
    return block;
}

std::string comparable(std::string_view output) {
    static const std::pair<std::regex, const char*> machine_dependent[] = {
        {std::regex(R"([\d,]+(\.\d+)? (ns|us|ms|s|min|h) on \d+ threads?)"), "TIME on THREADS"},
        {std::regex(R"([\d,]+(\.\d+)? ns a message)"), "TIME a message"},
        {std::regex(R"([\d,]+(\.\d+)? (ns|us|ms|s|min|h) with set-up)"), "TIME with set-up"},
        {std::regex(R"( judged in [\d,]+(\.\d+)? (ns|us|ms|s|min|h))"), " judged in TIME"},
        {std::regex(R"( nodes in [\d,]+(\.\d+)? (ns|us|ms|s|min|h):)"), " nodes in TIME:"},
        {std::regex(R"(\d+(\.\d+)? [KMGT]iB)"), "MEMORY"},
        {std::regex(R"re("(wall_seconds|moving_seconds|peak_rss_bytes|threads)": [0-9.e+-]+)re"), "\"$1\": MEASURED"},
    };
    std::vector<std::string> lines = lines_of(output);
    blank_times(lines);
    std::string text;
    for (std::string& line : lines) {
        for (const auto& [what, instead] : machine_dependent) line = std::regex_replace(line, what, instead);
        text += right_trimmed(line) + "\n";
    }
    text.erase(text.find_last_not_of('\n') + 1);
    return text;
}

bool only_shown(std::string_view command) { return command.starts_with("./dev ") && command != "./dev help"; }

Session::Session(const std::filesystem::path& binaries) : binaries_(binaries) {
    std::string name = (std::filesystem::temp_directory_path() / "kport-docs-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot make a folder for the examples");
    folder_ = name;
    std::filesystem::create_directory(folder_ / "build");
    std::filesystem::create_directory_symlink(binaries, folder_ / "build" / "release");
    const std::filesystem::path source = KPORT_SOURCE_DIR;
    std::filesystem::create_symlink(source / "dev", folder_ / "dev");
    std::filesystem::create_directory_symlink(source / "examples", folder_ / "examples");
}

Session::~Session() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
}

std::vector<Exchange> Session::run(const std::vector<Exchange>& block) const {
    const std::filesystem::path script = folder_ / "example.sh";
    {
        std::ofstream out(script);
        out << "exec 2>&1 </dev/null\n";
        for (const Exchange& exchange : block) {
            if (!only_shown(exchange.command)) out << exchange.command << "\n";
            out << "status=$?; printf '" << mark << "\\n'; (exit $status)\n";
        }
    }
    const std::string output = output_of(fmt::format("cd {} && env -u COLUMNS LC_ALL=C PATH={}:$PATH bash example.sh",
                                                     shell_quoted(folder_.string()), shell_quoted(binaries_.string())));
    std::vector<Exchange> told = block;
    std::size_t begin = 0;
    for (Exchange& exchange : told) {
        const std::size_t end = output.find(mark, begin);
        if (end == std::string::npos) throw std::runtime_error("the shell ended early at: " + exchange.command);
        if (!only_shown(exchange.command)) exchange.output = without_progress(output.substr(begin, end - begin));
        begin = end + mark.size() + 1;
    }
    return told;
}

}  // namespace kport::docs
