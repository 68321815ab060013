/// @file output.hpp   Standard output, which may be full or closed, and standard error; documents, with lack of memory handled.
#pragma once

#include <cstddef>
#include <functional>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>

#include "app/cli/commands.hpp"
#include "app/files/json_report.hpp"
#include "emulator/report/terminal_text.hpp"

namespace kport::cli {

/// Writes all of the text to standard output; in the process with the code of a file (supervised.hpp), sends it to the process that
/// reports. Throws OutputError.
void write_out(std::string_view text);

/// Checks, before anything long runs, that the file can be written. Throws RequestError for a folder, for a name in a folder that
/// does not exist or takes no file, and for "-": standard output has the report. `option`: empty for a file that a word names.
void require_place(std::string_view option, const std::string& file);

/// Replaces the whole file that an option or a word names. Throws OutputError where it cannot be written; the old file stays then.
void write_file(std::string_view option, const std::string& file, std::string_view text);
/// Replaces the file by what `write` puts into the stream. Throws what `write` throws, too.
void write_file(std::string_view option, const std::string& file, const std::function<void(std::ostream&)>& write);

/// Writes to standard error; what cannot be written is lost.
void write_err(std::string_view text) noexcept;

/// From here on write_file() writes nothing: another process does.
void write_no_files();

/// One line on standard error: "kport: ...". Control characters in it become '?'; never throws, and needs no memory.
void complain(std::string_view text) noexcept;

/// Colour only on a terminal, never when NO_COLOR is set, and not after leave_out_colours().
[[nodiscard]] bool colour_on_stdout();
/// Standard output is a launcher's: Open MPI gives its ranks a terminal, whatever it prints to itself. Before there are threads.
void leave_out_colours();
[[nodiscard]] inline Paint paint_for_stdout() { return Paint(colour_on_stdout()); }

/// Whether standard error is a terminal.
[[nodiscard]] bool stderr_is_terminal();
/// Remembers whether the standard outputs are terminals, and their width, for a child whose outputs are pipes.
void remember_terminal();

/// The columns that a line on standard output may take: what COLUMNS says where it is set to a number above 0, else what
/// the terminal has; 80 where there is none. At least 40, in which every table can be laid out.
[[nodiscard]] std::size_t width_of_stdout();

/// While one lives, a failed allocation ends the program: a line on standard error, status 3. JSON documents allocate
/// in their destructor, so no exception may leave a half-made one.
///
/// Callers   the main thread, where no other runs.
class MemoryOrEnd {
  public:
    MemoryOrEnd();
    ~MemoryOrEnd();
    MemoryOrEnd(const MemoryOrEnd&) = delete;
    MemoryOrEnd& operator=(const MemoryOrEnd&) = delete;

  private:
    void (*before_)();
};

/// The text of the document that make() returns.
template <class Make>
std::string document(const Make& make) {
    const MemoryOrEnd guard;
    return json_text(make());
}

/// Processes that run or want to, on average over the last minute; nothing where the system does not tell.
[[nodiscard]] std::optional<double> load_average();

/// What to say of a load on so many cores; nothing where it leaves at least half of them alone.
[[nodiscard]] std::optional<std::string> warning_of_load(double load, unsigned cores);

/// Says so on standard error, before a measurement.
void warn_of_load();

}  // namespace kport::cli
