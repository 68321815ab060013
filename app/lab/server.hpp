/// @file server.hpp   kport in a browser of this computer: a page, and a server that answers it in the words of the command line.
#pragma once

#include <atomic>
#include <chrono>
#include <filesystem>
#include <functional>
#include <string>

namespace kport::lab {

struct ServerOptions {
    int port = 0;                                            ///< of 127.0.0.1; 0: one that is free
    std::chrono::milliseconds run_most{60'000};              ///< a request that takes longer is stopped
    std::chrono::seconds idle_most{600};                     ///< it ends when no page has spoken for so long
    std::filesystem::path folder;                            ///< what requests may read: files in it, no hidden ones
    const std::atomic<bool>* stop = nullptr;                 ///< set by anyone: it ends soon
    std::function<void(const std::string& url)> ready = {};  ///< called once it listens, with the address to open
};

/// Serves until it is stopped or idle. Part of the plug-in, not of the program.
/// Answers one request at a time. To another one it says that it is at work, and on what (HTTP status 409).
///
/// Trust    It listens on 127.0.0.1 alone, and answers only who knows the key in the address that `ready` was given, and names this
///          host. It writes nothing, runs no code of files, and reads files of the folder alone.
/// Errors   RequestError where the port cannot be had.
void serve(const ServerOptions& options);

/// serve() of the plug-in libkport-lab.so, which stands beside the program, or where libraries are installed.
///
/// Errors   as serve(); RequestError if there is no plug-in.
void serve_by_plug_in(const ServerOptions& options);

}  // namespace kport::lab
