#!/usr/bin/env python3
"""Sends random requests to two builds of kport: text, errors and exit status must be equal.

usage: compare_builds.py OLD NEW [--requests 2000] [--seed 1]
"""
import argparse
import concurrent.futures
import difflib
import os
import random
import re
import subprocess
import sys
import tempfile

TOPOLOGIES = ["hypercube:3", "hypercube:4", "mesh:3x4", "mesh:4x4x2", "torus:4x4", "torus:3x5", "ring:8", "ring:7", "line:6",
              "complete:8", "complete:9", "petersen", "star:6", "debruijn:2,4", "tree:15", "line:1", "knoedel:3,14", "hypercube:60"]
OPERATIONS = ["broadcast", "scatter", "gather", "allgather", "alltoall", "reduce", "allreduce", "reduce-scatter", "scan",
              "permutation", "barrier"]
ALGORITHMS = ["sbt", "dost", "msbt", "flooding", "exchange", "ring", "direct", "tree", "rda-product", "pat", "bruck", "chain",
              "reduce-broadcast", "coloured-exchange", "nosuch", "sbt,dost"]
VALUES = {
    "--ports": ["1", "2", "3", "all", "0", "one", "1,all"], "--duplex": ["full", "half", "hlaf"], "--links": ["full", "half"],
    "--pairwise": [None], "--switching": ["sf", "wh", "sf,wh"], "--combining": ["on", "off"],
    "--rules": ["law", "count", "off", "nodup=count,noho=off", "none"], "--noho": ["wide", "strict"],
    "--routing": ["fixed", "adaptive", "any"],
    "--policy": ["queue", "strict", "quiet"], "--algorithm": ALGORITHMS, "--aggregate": ["2", "4", "x"],
    "--keep": ["smaller", "greater", "bigger"], "--dimensions": ["1,0", "0", "9"], "--arity": ["1", "3", "0"],
    "--gather": ["bruck", "ring"], "--source": ["0", "3", "1,1", "99", "all", "0;2"], "--root": ["2"],
    "--bytes": ["8", "1KiB", "64", "12", "8..64", "0", "x"], "--packets": ["1", "2", "7", "1,4", "0"],
    "--permutation": ["shift:2", "transpose", "bit-reversal", "shift:x"], "--payload": ["copy", "none"],
    "--op": ["sum", "min", "max", "xor", "concat", "avg"], "--type": ["int64", "double", "string"],
    "--values": ["1,2,3,4,5,6,7,8", "1"], "--ts": ["2", "0", "1e3", "-1"], "--td": ["0.5"], "--tm": ["0.25", "1e-9"],
    "--engine": ["lockstep", "free", "fast"], "--threads": ["1", "2", "0"], "--seed": ["1", "7", "x"],
    "--inject": ["drop", "corrupt:0.01", "duplicate", "misroute", "drop:2", "nosuch"], "--max-rounds": ["2", "1000"],
    "--until": ["1", "3"], "--order": ["5", "preorder", "x"], "--partition-nodes": ["1", "2"], "--per-round": [None], "--hotspots": [None],
    "--json": [None], "--reproducible": [None], "--csv": [None], "--picture": [None], "--message": ["1MiB", "8..64"],
    "--as": ["text", "dot", "svg", "json", "html", "png", "webp"], "--rounds": ["1-2", "2-"], "--shape": ["slide", "page"], "--mode": ["telephone", "telegraph"],
    "--calibrated": [None], "--bogus": [None], "--plot-of": ["rounds"], "--plot-over": ["ports"], "--sweep": ["ring:{3,4}"],
}
# Words that no option, or hardly any, takes.
WRONG = ["0", "one", "1,all", "hlaf", "sf,wh", "none", "quiet", "nosuch", "sbt,dost", "x", "bigger", "9", "99", "all", "0;2", "8..64",
         "1,4", "shift:x", "avg", "-1", "fast", "drop:2", "png", "12"]
MACHINE = ["--ports", "--duplex", "--links", "--pairwise", "--switching", "--combining", "--noho", "--policy", "--ts", "--td", "--tm"]
EXPLAINED = [*MACHINE, "--routing", "--source", "--bytes", "--packets", "--permutation", "--op", "--order", "--json"]
SEARCHED = ["--ports", "--source", "--mode", "--reproducible", "--json"]
CHECKED = [*MACHINE, "--rules", "--source", "--bytes", "--packets", "--per-round", "--hotspots", "--reproducible", "--json"]
CHOSEN = ["--algorithm", "--keep", "--dimensions", "--arity", "--gather", "--aggregate"]
CARRIED = ["--rules", "--routing", "--source", "--root", "--bytes", "--packets", "--permutation", "--payload", "--op", "--type", "--values",
           "--engine", "--threads", "--seed", "--max-rounds", "--order"]
SHOWABLE = [*MACHINE, *CHOSEN, *CARRIED, "--inject", "--until", "--as", "--rounds"]
RUNNABLE = [*MACHINE, *CHOSEN, *CARRIED, *CARRIED, "--inject", "--until", "--partition-nodes", "--per-round", "--hotspots", "--json", "--reproducible"]
COMMANDS = ["run"] * 10 + ["compare"] * 3 + ["bounds", "bounds", "explain", "explain", "show", "show", "check", "search"]
SHOWN = [["list", x] for x in ("operations", "topologies", "formats", "faults", "algorithms")]
SHOWN += [["list", "algorithms", x] for x in OPERATIONS] + [["info", x] for x in TOPOLOGIES]
SHOWN += [["info", "mesh:3x3", "--json"], ["info", "ring:9", "--picture"], ["list", "algorithms", "--json"], ["list"], []]
SHOWN += [["manual"], ["completion", "bash"], ["completion", "zsh"], ["completion", "fish"], ["--version"], ["--help"]]
SHOWN += [[x, "--help"] for x in ("run", "compare", "bench", "stress", "show", "check", "convert", "search", "explain", "bounds")]
# What differs from run to run: times, memory, threads that found work.
MASKS = [(r"(,[a-z-]+(,[0-9]*){10}),[0-9.e-]+,(true|false),", r"\1,TIME,\3,"), (r"[0-9.,]+ (ns|us|µs|ms|s|min)\b", "TIME"), (r"(seconds|wall_seconds|moving_seconds|peak_rss_bytes)\": [0-9.e+-]+", r"\1"),
         (r"on [0-9]+ threads?", "on THREADS"), (r'"threads": [0-9]+', '"threads"'), (r"[0-9.]+ [KMG]i?B/s", "SPEED"),
         (r"[0-9.]+ [KMG]iB peak", "PEAK"), (r"[0-9.]+ GiB (of address space and [0-9.]+ GiB )?are available", "THERE"),
         (r"and [0-9.]+ GiB", "and THERE")]


def request(draw: random.Random) -> list[str]:
    kind = draw.random()
    if kind < 0.06:
        return draw.choice(SHOWN)
    if kind < 0.08:
        return ["stress", "--seed", str(draw.randrange(99)), "--cases", str(draw.randrange(1, 12)), *draw.choice([[], ["--json"]])]
    command = draw.choice(COMMANDS)
    words = [command, draw.choice(OPERATIONS)] if command != "check" else [command, "schedule.txt", *draw.choice([[], ["broadcast"]])]
    words += ["--on", draw.choice(TOPOLOGIES)] if draw.random() < 0.97 else []
    if command == "search":
        words += ["--for", "20"] if draw.random() < 0.2 else []
        words[1] = draw.choice(["broadcast", "allgather", "scatter"])
        if "--on" in words:
            words[words.index("--on") + 1] = draw.choice(["petersen", "ring:7", "line:6", "complete:8", "hypercube:3"])
    takes = {"explain": EXPLAINED, "bounds": EXPLAINED, "search": SEARCHED, "check": CHECKED, "show": SHOWABLE}.get(command, RUNNABLE)
    count = draw.choice([0, 0, 1, 1, 1, 2, 2, 3, 4, 5])
    options = draw.sample(takes, min(count, len(takes))) if draw.random() < 0.9 else draw.sample(sorted(VALUES), count)
    for option in options:
        wrong = [] if draw.random() > 0.08 else WRONG
        value = draw.choice([v for v in VALUES[option] if v in wrong] or [v for v in VALUES[option] if v not in WRONG])
        words += [option] if value is None else [option, value]
    if draw.random() < 0.02:
        words.insert(draw.randrange(1, len(words)), draw.choice(["broadcast", "--", "help", "extra", "--on"]))
    return words


def answer(program: str, words: list[str], folder: str) -> tuple[str, str, int]:
    env = {**os.environ, "COLUMNS": "80", "NO_COLOR": "1", "XDG_CACHE_HOME": folder}
    done = subprocess.run([program, *words], cwd=folder, env=env, stdin=subprocess.DEVNULL, capture_output=True, timeout=300)
    texts = [part.decode("utf-8", "replace") for part in (done.stdout, done.stderr)]
    for pattern, instead in MASKS:
        texts = [re.sub(pattern, instead, text) for text in texts]
    return texts[0], texts[1], done.returncode


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("--requests", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--brief", action="store_true", help="names the requests that differ, without the lines")
    given = parser.parse_args()
    draw = random.Random(given.seed)
    requests = [request(draw) for _ in range(given.requests)]
    statuses: dict[int, int] = {}
    differing = 0
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor() as pool:
        with open(os.path.join(folder, "schedule.txt"), "w", encoding="utf-8") as file:
            file.write("round 1: 0 -> 1\nround 2: 0 -> 2, 1 -> 3\n")
        programs = [os.path.abspath(given.old), os.path.abspath(given.new)]
        for words, answers in zip(requests, pool.map(lambda r: [answer(p, r, folder) for p in programs], requests)):
            statuses[answers[0][2]] = statuses.get(answers[0][2], 0) + 1
            if answers[0] == answers[1]:
                continue
            differing += 1
            print("DIFFERS: kport " + " ".join(words), *([f"status {a[2]}" for a in answers] if answers[0][2] != answers[1][2] else []))
            for old, new in zip(answers[0][:2], answers[1][:2]) if not given.brief else []:
                print("\n".join(list(difflib.unified_diff(old.splitlines(), new.splitlines(), "old", "new", n=0, lineterm=""))[:12]))
    print(f"{len(requests)} requests, by exit status {dict(sorted(statuses.items()))}: {differing} differ")
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
