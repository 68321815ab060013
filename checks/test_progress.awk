# Reads the list that `ctest --show-only` writes and then what `ctest` writes; says a line for each test program when the
# last of its tests is over, and ctest's closing line. A test is called PROGRAM:SUITE.NAME.
function program_of(line) {
    sub(/^.*#[0-9]+: */, "", line)
    sub(/[: ].*$/, "", line)
    return line
}

/^ *Test +#[0-9]+: / { ++tests[program_of($0)]; next }

/^ *[0-9]+\/[0-9]+ Test +#[0-9]+: / {
    program = program_of($0)
    if ($0 ~ /\*\*\*/ && $0 !~ /\*\*\*Skipped/) ++failed[program]
    if (match($0, /[0-9.]+ sec/)) seconds[program] += substr($0, RSTART, RLENGTH - 4)
    if (++over[program] < tests[program]) next
    printf "%-16s %5d tests %8.1f s%s\n", program, tests[program], seconds[program], \
        program in failed ? ", " failed[program] " FAILED" : ""
    fflush()
}

/tests? failed out of/
