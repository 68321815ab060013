# Reads the list that `ctest --show-only` writes and then what `ctest --verbose` writes. Says a line for each test program
# when the last of its parts is over; at the end how many tests passed, and the names of those that failed, also to the
# file `summary`, under the name `title`. Of a test that failed the last lines that it printed are shown.
#
# A part is one entry of ctest, PROGRAM:PART: a shard of a GoogleTest program, or a command that is one test by itself. A
# line that a part writes begins with its number and a colon.
BEGIN { lines_shown = 40 }

function program_of(line) {
    sub(/^.*#[0-9]+: */, "", line)
    sub(/[: ].*$/, "", line)
    return line
}

function part_of(line) {
    sub(/^.*#[0-9]+: */, "", line)
    sub(/ .*$/, "", line)
    return line
}

function fails(program, test) {
    ++failed[program]
    names[++failures] = test
}

# Keeps the last lines that a part printed, from the beginning of its test on.
function keep(number, line) {
    kept[number, ++last[number]] = line
    delete kept[number, last[number] - lines_shown]
}

function forget(number) {
    for (; (number, last[number]) in kept; --last[number]) delete kept[number, last[number]]
    last[number] = 0
}

function show_kept(number,    i) {
    for (i = last[number] - lines_shown + 1; i <= last[number]; ++i)
        if ((number, i) in kept) print "    | " substr(kept[number, i], 1, 300)
    forget(number)
}

function say(line) {
    print line
    if (summary) print line >>summary
}

/^ *Test +#[0-9]+: / { ++parts[program_of($0)]; next }

# GoogleTest's lines: what runs, how it ended, how many there were.
/^[0-9]+: \[/ {
    number = $1 + 0
    word = substr($0, length($1) + 2, 12)
    rest = substr($0, length($1) + 15)
    if (word == "[ RUN      ]") {
        running[number] = rest
        forget(number)
    }
    else if (word == "[       OK ]") {
        delete running[number]
        forget(number)
    }
    else if (word == "[  SKIPPED ]" || word == "[  FAILED  ]") {  # both are told again in a list at the end
        if (rest ~ /^[0-9]+ tests?, listed below:/) next
        delete running[number]
        sub(/,? (where |\([0-9]+ ms\)).*$/, "", rest)
        if ((number, rest) in told) next
        told[number, rest] = 1
        if (word == "[  SKIPPED ]") ++skipped
        else {
            wrong[number] = wrong[number] rest "\n"
            print "    " rest
            show_kept(number)
        }
    }
    else if (word == "[==========]" && rest ~ / ran\./) ran[number] = 1 + rest  # 1 more: ran none is not unknown
    next
}

/^[0-9]+:/ {
    line = substr($0, length($1) + 2)
    keep($1 + 0, line)
    next
}

/^ *[0-9]+\/[0-9]+ Test +#[0-9]+: / {
    program = program_of($0)
    match($0, /#[0-9]+/)
    number = substr($0, RSTART + 1, RLENGTH - 1) + 0
    before = failures
    count = split(wrong[number], lines, "\n") - 1
    for (i = 1; i <= count; ++i) fails(program, program ":" lines[i])
    if (number in running) fails(program, program ":" running[number] " (the program ended)")
    if ($0 ~ /\*\*\*/ && $0 !~ /\*\*\*Skipped/ && failures == before) fails(program, part_of($0))
    if (failures > before + (count > 0 ? count : 0)) {
        print "    " substr(names[failures], 1, 150)
        show_kept(number)
    }
    forget(number)
    if (match($0, /[0-9.]+ sec/)) seconds[program] += substr($0, RSTART, RLENGTH - 4)
    tests[program] += number in ran ? ran[number] - 1 : 1
    if (++over[program] < parts[program]) next
    total += tests[program]
    printf "%-16s %5d tests %8.1f s%s\n", program, tests[program], seconds[program], \
        program in failed ? ", " failed[program] " FAILED" : ""
    fflush()
}

/^Total Test time/ { time = int($6 + 0.5) }

END {
    for (program in parts)
        if (over[program] < parts[program]) { fails(program, program ": not all of it ran"); total += tests[program] + 1 }
    line = title (title ? ": " : "") (total - failures - skipped) " of " total " tests passed"
    if (skipped) line = line ", " skipped " skipped"
    if (failures) line = line ", " failures " FAILED"
    line = line (time == "" ? "; ctest did not end" : " (" time " s)")
    say(line)
    for (i = 1; i <= failures; ++i) say("    " substr(names[i], 1, 150))
}
