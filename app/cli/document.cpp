#include "app/cli/document.hpp"

#include <cstdlib>
#include <new>

#include "app/cli/code_process.hpp"
#include "app/cli/commands.hpp"
#include "app/cli/output.hpp"

namespace kport::cli {

namespace {

void end_without_memory() {
    complain(no_memory);
    end_at_once(status_does_not_fit);
}

}  // namespace

MemoryOrEnd::MemoryOrEnd() : before_(std::set_new_handler(end_without_memory)) {}
MemoryOrEnd::~MemoryOrEnd() { std::set_new_handler(before_); }

}  // namespace kport::cli
