/// @file interrupt.hpp   Ctrl-C ends a run in its round, a measurement after its sample; before there is anything to tell
///                       it ends the program, as a second one does at any time.
#pragma once

#include <atomic>
#include <string>

namespace kport::cli {

/// From now on the first SIGINT, SIGTERM or SIGHUP sets the flag, and the next one kills. Also makes a file size limit an error
/// of write() instead of a death.
void listen_for_signals();

/// What a signal that comes before something_to_tell() finds going on: "sbt on hypercube:22 is being set up". One thread at a time.
void nothing_to_tell_while(const std::string& at_work);

/// There is something to tell from now on. Before, while tables of the machine's size are made, say, a signal ends the
/// program at once, with status 4 and a line that says so.
void something_to_tell();

/// It has been told why the program ends, with this status: a signal ends it so, without another word. A launcher sends one to the
/// rank that has told, when another rank is over before it.
void has_told_why(int status);

/// Sets interrupted(), as a signal does once there is something to report. Any thread.
void interrupt();

/// Whether one has come.
[[nodiscard]] const std::atomic<bool>& interrupted();

}  // namespace kport::cli
