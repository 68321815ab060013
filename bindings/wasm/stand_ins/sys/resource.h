/// The limit of a page: two GiB of addresses, less what the library and its stack take.
#pragma once
typedef unsigned long long rlim_t;
typedef int __rlimit_resource_t;
struct rlimit { rlim_t rlim_cur, rlim_max; };
struct rusage { long ru_maxrss; };
#define RLIM_INFINITY (~0ULL)
#define RLIMIT_DATA 2
#define RLIMIT_AS 9
#define RUSAGE_SELF 0
static inline int getrlimit(int what, struct rlimit* limit) {
    limit->rlim_cur = limit->rlim_max = what == RLIMIT_AS ? (2048ULL - 64) << 20 : RLIM_INFINITY;
    return 0;
}
static inline int getrusage(int, struct rusage*) { return -1; }
