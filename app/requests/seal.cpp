#include "app/requests/client.hpp"

#include <fcntl.h>
#ifdef KPORT_SECCOMP
#include <seccomp.h>
#endif

#include <memory>
#include <utility>

#include <fmt/format.h>

#include "emulator/base/error.hpp"
#include "emulator/ranks/forked_ranks.hpp"

namespace kport::requests {

namespace {

bool is_sealed = false;
std::unique_ptr<Ranks> ranks_here;

#ifdef KPORT_SECCOMP
/// What programs of nodes have no use for: processes and threads, sockets, other processes' memory, changes to files.
constexpr int forbidden_calls[] = {SCMP_SYS(fork),
                                   SCMP_SYS(vfork),
                                   SCMP_SYS(clone),
                                   SCMP_SYS(clone3),
                                   SCMP_SYS(execve),
                                   SCMP_SYS(execveat),
                                   SCMP_SYS(socket),
                                   SCMP_SYS(socketpair),
                                   SCMP_SYS(ptrace),
                                   SCMP_SYS(kill),
                                   SCMP_SYS(process_vm_readv),
                                   SCMP_SYS(process_vm_writev),
                                   SCMP_SYS(bpf),
                                   SCMP_SYS(unshare),
                                   SCMP_SYS(userfaultfd),
                                   SCMP_SYS(perf_event_open),
                                   SCMP_SYS(io_uring_setup),
                                   SCMP_SYS(openat2),
                                   SCMP_SYS(creat),
                                   SCMP_SYS(memfd_create),
                                   SCMP_SYS(mkdir),
                                   SCMP_SYS(mkdirat),
                                   SCMP_SYS(mknod),
                                   SCMP_SYS(mknodat),
                                   SCMP_SYS(symlink),
                                   SCMP_SYS(symlinkat),
                                   SCMP_SYS(link),
                                   SCMP_SYS(linkat),
                                   SCMP_SYS(rename),
                                   SCMP_SYS(renameat),
                                   SCMP_SYS(renameat2),
                                   SCMP_SYS(unlink),
                                   SCMP_SYS(unlinkat),
                                   SCMP_SYS(truncate),
                                   SCMP_SYS(shmget),
                                   SCMP_SYS(pidfd_open)};
/// With the argument that holds the flags.
constexpr std::pair<int, unsigned> calls_that_open[] = {{SCMP_SYS(open), 1}, {SCMP_SYS(openat), 2}};
#endif

}  // namespace

bool sealed() { return is_sealed; }

Ranks* forked_ranks() { return ranks_here.get(); }

unsigned fork_into(unsigned processes) {
#ifdef KPORT_SECCOMP
    ranks_here = fork_ranks(processes);
    return ranks_here->rank();
#else
    throw RequestError(fmt::format("this system runs no programs of others in {} processes", processes));
#endif
}

void seal_process() {
#ifdef KPORT_SECCOMP
    const std::unique_ptr<void, void (*)(scmp_filter_ctx)> filter(seccomp_init(SCMP_ACT_ALLOW), seccomp_release);
    bool holds = filter != nullptr && seccomp_attr_set(filter.get(), SCMP_FLTATR_CTL_TSYNC, 1) == 0;
    for (const int call : forbidden_calls)
        holds = holds && seccomp_rule_add(filter.get(), SCMP_ACT_KILL_PROCESS, call, 0) == 0;
    for (const auto& [call, argument] : calls_that_open)
        for (const unsigned flag : {unsigned{O_WRONLY}, unsigned{O_RDWR}, unsigned{O_CREAT}}) {
            const scmp_arg_cmp has_flag{argument, SCMP_CMP_MASKED_EQ, flag, flag};
            holds = holds && seccomp_rule_add_array(filter.get(), SCMP_ACT_KILL_PROCESS, call, 1, &has_flag) == 0;
        }
    is_sealed = holds && seccomp_load(filter.get()) == 0;
    if (is_sealed) return;
#endif
    throw RequestError("this system cannot seal a process; want a kernel with seccomp, and libseccomp");
}

}  // namespace kport::requests
