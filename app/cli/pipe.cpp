#include "app/cli/pipe.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "app/cli/output.hpp"

namespace kport::cli {

Pipe::Pipe() {
    constexpr int lowest = STDERR_FILENO + 1;
    const auto require = [](bool holds) {
        if (!holds) throw OutputError(std::string("no pipe: ") + std::strerror(errno), false);
    };
    require(pipe2(ends_.data(), O_CLOEXEC) == 0);
    for (int& end : ends_)  // where a standard file is closed, its number is free
        if (end < lowest) {
            const int higher = fcntl(end, F_DUPFD_CLOEXEC, lowest);
            require(higher >= 0);
            close(std::exchange(end, higher));
        }
}

Pipe::~Pipe() {
    close_end(0);
    close_end(1);
}

bool Pipe::read_into(std::string& text) {
    std::array<char, 1 << 16> buffer{};
    const ssize_t got = read(ends_[0], buffer.data(), buffer.size());
    if (got > 0) text.append(buffer.data(), static_cast<std::size_t>(got));
    if (got == 0 || (got < 0 && errno != EINTR && errno != EAGAIN)) close_end(0);
    return got > 0;
}

void Pipe::close_end(std::size_t end) {
    if (ends_[end] >= 0) close(std::exchange(ends_[end], -1));
}

}  // namespace kport::cli
