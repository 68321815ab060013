/// @file main.cpp   The program kport: arguments in, a report out, and the documented exit status.
#include <malloc.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <iterator>
#include <new>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>

#include "app/cli/commands.hpp"
#include "app/cli/output.hpp"
#include "app/cli/own_algorithms.hpp"
#include "app/cli/program.hpp"
#include "app/cli/progress.hpp"
#include "app/cli/supervised.hpp"
#include "app/requests/graphs.hpp"
#include "app/requests/request.hpp"
#include "app/requests/texts.hpp"
#include "emulator/base/error.hpp"
#include "emulator/base/memory_limit.hpp"
#include "emulator/engine/job.hpp"

namespace kport::cli {

namespace {

/// Whether the command judges what the code in a file moves, by a process without that code.
bool judges(const Words& words) {
    constexpr std::string_view judging[] = {"run", "check", "show"};
    return std::ranges::find(judging, words.command) != std::end(judging) ||
           (words.command == "compare" && !words.has("--message"));
}

/// The error with which this rank of several ends; empty if there is none.
std::string last_complaint;

int status_after(std::string_view text, Status status) {
    if (joined_ranks() != nullptr)
        last_complaint = text;  // else it is not asked for, and there may be no memory for it
    complain(text);
    has_told_why(status);
    return status;
}

/// A request that the program answers as every other caller of answer() is answered.
int answered(const Words& words) {
    Program program;
    const Answer answer = requests::answer(words, std::cin, program);
    if (!answer.text.empty()) write_out(answer.text);
    return answer.error.empty() ? answer.status : status_after(answer.error, static_cast<Status>(answer.status));
}

int dispatch(const Words& words) {
    using Command = int (*)(const Words&);
    constexpr auto commands = std::to_array<std::pair<std::string_view, Command>>({{"bench", bench},
                                                                                   {"chip", chip},
                                                                                   {"lab", lab},
                                                                                   {"grade", grade},
                                                                                   {"completion", completion},
                                                                                   {"manual", manual},
                                                                                   {"new", new_algorithm}});
    if (!words.help.empty()) return answered(words);
    if (!judges(words))
        if (const auto status = reported_by_own_files(words)) return *status;
    for (const auto& [name, command] : commands) {
        if (words.command != name) continue;
        Program program;
        std::istringstream no_input;
        Request request{words, no_input, program};
        const GraphsOfRequest graphs(request);
        return command(words);
    }
    return answered(words);
}

/// For exceptions outside all handlers: oneTBB throws in its own thread if the system refuses a thread.
[[noreturn]] void on_terminate() noexcept {
    std::string text;
    try {
        if (const std::exception_ptr error = std::current_exception()) std::rethrow_exception(error);
    } catch (const std::bad_alloc&) {  // in the destructor of a library
        end_at_once(status_after(no_memory, status_does_not_fit));
    } catch (const std::exception& error) {
        text = error.what();
    } catch (...) {
        text = "an error of unknown type";
    }
    const bool refused = text.find("pthread_create") != std::string::npos;
    complain(refused ? "the system gives no more threads or no memory for them; fewer --threads may do (" + text + ")"
                     : "stopped by an unexpected error: " + text);
    end_at_once(refused ? status_does_not_fit : status_stopped);
}

/// For each thread the C library would reserve 64 MiB of addresses, touched or not.
void spare_addresses() {
    if (address_space_left() != memory_unlimited) mallopt(M_ARENA_MAX, 1);
}

/// Every way in which a command can end.
int guarded(int argc, const char* const* argv) {
    try {
        join_ranks(argc, argv);
        prepare_for_requests();
        const Words words = read_command_line(argc, argv, width_of_stdout());
        require_for_ranks(words);
        return dispatch(words);
    } catch (const RequestError& error) {
        return status_after(in_options(error.what()), status_wrong);
    } catch (const DoesNotFit& error) {
        return status_after(in_options(error.what()), status_does_not_fit);
    } catch (const std::bad_alloc&) {
        give_up_ranks(status_does_not_fit, no_memory);
        return status_after(no_memory, status_does_not_fit);
    } catch (const NoVerdict& error) {
        return error.what()[0] == '\0' ? error.status : status_after(error.what(), static_cast<Status>(error.status));
    } catch (const OutputError& error) {
        return error.quiet ? status_stopped : status_after(error.what(), status_stopped);
    } catch (const ProgramError& error) {
        return status_after(std::string("a node program failed: ") + error.what(), status_stopped);
    } catch (const std::exception& error) {
        give_up_ranks(status_stopped, error.what());
        return status_after(std::string("stopped by an unexpected error: ") + error.what(), status_stopped);
    }
}

}  // namespace

}  // namespace kport::cli

int main(int argc, char** argv) {
    std::set_terminate(kport::cli::on_terminate);
    kport::cli::spare_addresses();
    kport::cli::listen_for_signals();
    const int ended = kport::cli::guarded(argc, argv);  // before its complaint is read
    const int status = kport::cli::leave_ranks(ended, kport::cli::last_complaint);
    if (kport::cli::supervised()) kport::cli::end_at_once(status);
    return status;
}
