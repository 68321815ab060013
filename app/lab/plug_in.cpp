/// @file plug_in.cpp   The server as a plug-in: the program alone links no library for the web, which would make each of its starts longer.
#include "app/lab/server.hpp"

extern "C" [[gnu::visibility("default")]] void kport_lab_serve(const kport::lab::ServerOptions* options) {
    kport::lab::serve(*options);
}
