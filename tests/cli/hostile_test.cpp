/// @file hostile_test.cpp   Wrong requests: one line on standard error with the wrong word and the allowed ones,
///                          status 2 (or 3 where the machine is only too large), nothing on standard output.
#include <filesystem>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "emulator/topology/family.hpp"
#include "tests/cli/kport.hpp"

namespace kport::test {
namespace {

/// docs/ranks.md; what an mpirun says to those that it starts.
TEST(Ranks, ThatNeedAPlugInAreToldWhereNoneIs) {
    const std::filesystem::path beside = std::filesystem::path(KPORT_PROGRAM).parent_path();
    for (const std::string mpi : {"openmpi", "mpich"}) {
        const std::string name = fmt::format("libkport-{}.so", mpi);
        if (std::filesystem::exists(beside / name)) continue;
        Place place;
        place.environment = {"OMPI_COMM_WORLD_SIZE=2", "OMPI_COMM_WORLD_RANK=0", "KPORT_MPI=" + mpi};
        const Outcome outcome = kport("run broadcast --on ring:3", place);
        EXPECT_EQ(outcome.status, 2);
        EXPECT_THAT(
            outcome.err,
            testing::AllOf(testing::HasSubstr(fmt::format("finds no {}, neither in {} nor in ", name, beside.string())),
                           testing::HasSubstr("set KPORT_MPI=off")));
    }
}

struct Hostile {
    std::vector<std::string> arguments;
    std::string message;  ///< without "kport: "
    int status = 2;
};

/// `run broadcast --on hypercube:3` and more.
Hostile on_cube(std::vector<std::string> more, std::string message, int status = 2) {
    std::vector<std::string> arguments = {"run", "broadcast", "--on", "hypercube:3"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return {arguments, std::move(message), status};
}

/// `run broadcast --on TOPOLOGY`.
Hostile on(std::string topology, std::string message) {
    return {{"run", "broadcast", "--on", std::move(topology)}, std::move(message)};
}

const std::string families = fmt::format("(hypercube, mesh, torus, line, ring, complete, cbt, and {} more)",
                                         topology_families().size() - 6);  // and files, which only the program knows

const std::vector<Hostile> commands = {
    {{"rnu"}, "unknown command 'rnu'; did you mean 'run'? ('kport --help' shows all)"},
    {{"--foo"}, "unknown option '--foo' ('kport --help' shows all)"},
    {{"--json", "run", "broadcast"},
     "'--json' stands before the command; first one of run, compare, bench, stress, search, tolerance, bounds, check, "
     "convert, "
     "list, "
     "info, show, explain, chip, lab, grade, completion, new, manual"},
    {{"run"},
     "which operation? kport run OPERATION --on TOPOLOGY, such as broadcast ('kport list operations' shows all)"},
    {{"run", "broadcast"},
     "--on is missing: on which machine? such as --on hypercube:10 ('kport list topologies' shows all)"},
    {{"run", "broadcast", "hypercube:3"}, "unexpected 'hypercube:3' after 'broadcast'; want --on 'hypercube:3'"},
    {{"bench", "broadcast", ""}, "unexpected '' after 'broadcast'"},
    {{"run", "broadcast", "--on", "mesh", ""}, "unexpected '' after 'broadcast'"},
    {{"run", "broadcast", "--on", "line:4", "--bytes", "4", ""}, "unexpected '' after 'broadcast'"},
    {{"run", "broadcast", "--on", "line:4", "--bytes", "", "K"}, "unexpected 'K' after 'broadcast'"},
    {{"run", "broadcast", "--on", "", "4x4"}, "unexpected '4x4' after 'broadcast'"},
    {{"run", "broadcast", "--topology", "hypercube:3"},
     "unknown option '--topology'; want --on TOPOLOGY ('kport run --help' shows all)"},
    {{"list", "topologies", "hypercube:3"}, "unexpected 'hypercube:3' after 'topologies'"},
    {{"list", "algorithms", "scan", "x"}, "unexpected 'x' after 'scan'"},
    {{"list", "algorithms", "brodcast"},
     "no operation is called 'brodcast'; did you mean 'broadcast'? ('kport list operations' shows all)"},
    {{"list", "scan"},
     "no list is called 'scan'; did you mean 'kport list algorithms scan'? (operations, algorithms, topologies, "
     "formats, "
     "faults)"},
    {{"run", "broadcast", "--on", "torus", "4", "4"},
     "unexpected '4' after 'broadcast'; a value is one word: --on torus:4x4"},
    {{"run", "broadcast", "--on", "torus:4", "4x5"},
     "unexpected '4x5' after 'broadcast'; a value is one word: --on torus:4x4x5"},
    {{"stress", "--case", "3", "--cases", "5"},
     "--cases has no effect beside --case: one case alone is tried; leave --cases out"},
    {{"stress", "--ports", "2"}, "kport stress takes no '--ports'; it draws machines, of at most --nodes N nodes"},
    {{"run", "broadcst", "--on", "hypercube:3"},
     "no operation is called 'broadcst'; did you mean 'broadcast'? ('kport list operations' shows all)"},
    {{"run",
      "br\xc3\xb6"
      "adcast",
      "--on", "hypercube:3"},
     "no operation is called 'br\xc3\xb6"
     "adcast'; did you mean 'broadcast'? ('kport list operations' shows all)"},
    {{"run", "run", "--on", "hypercube:3"}, "no operation is called 'run' ('kport list operations' shows all)"},
    {{"list", "topology"},
     "no list is called 'topology'; did you mean 'topologies'? (operations, algorithms, topologies, formats, faults)"},
    {{"list", "options"}, "no list is called 'options' (operations, algorithms, topologies, formats, faults)"},
    {{"info", "nofile"}, "topology 'nofile': unknown family 'nofile' " + families},
    {{"convert", "ring:4", "--to", "json"}, "--to json: json is a form of schedules, and 'ring:4' is a graph"},
    {{"show", "ring:4"}, "'ring:4' is a topology; want kport show OPERATION --on ring:4"},
    {{"run", "shift", "--on", "ring:4"}, "--permutation is missing: shift needs it, such as --permutation shift:1"},
    {{"run", "sendrecv", "--on", "ring:4"},
     "--permutation is missing: sendrecv needs it, such as --permutation shift:1"},
    {{"run", "shift:1", "--on", "ring:4"},
     "no operation is called 'shift:1'; did you mean 'permutation --permutation shift:1'? ('kport list operations' "
     "shows "
     "all)"},
    {{"run", "sendrecv", "--on", "line:2", "--permutation", "list:1,1"},
     "--permutation: nodes 0 and 1 both send to node 1; an alltoall with --counts may"},
    {{"run", "sendrecv", "--on", "line:3", "--permutation", "list:1,0"},
     "--permutation: 2 entries; line:3 has 3 nodes, want an entry for each"},
    {{"run", "sendrecv", "--on", "line:3", "--permutation", "list:1,0,x"},
     "--permutation: the entry of node 2 is 'x'; want a node, or - if it sends nothing"},
    {{"run", "sendrecv", "--on", "line:3", "--permutation", "list:1,0,3"},
     "--permutation: the entry of node 2 is 3; line:3 has nodes 0 to 2"},
    {{"run", "sendrecv", "--on", "line:3", "--permutation", "move:1.5"},
     "--permutation 'move:1.5': want move:Q, or move:Q@I along dimension I, such as move:-1"},
    {{"run", "sendrecv", "--on", "mesh:3x4", "--permutation", "shift:1@2"},
     "--permutation 'shift:1@2': mesh:3x4 has the dimensions 0 to 1"},
    {{"run", "sendrecv", "--on", "ring:4", "--permutation", "file:/nowhere"},
     "--permutation: file '/nowhere' cannot be opened: No such file or directory"},
    {{"run", "sendrecv", "--on", "ring:4", "--permutation", "file:/"},
     "--permutation: file '/' is a folder; want a file"},
    {{"run", "exscan", "--on", "line:4", "--source", "9"}, "source '9': line:4 has nodes 0 to 3"},
    {{"run", "halo", "--on", "fat-tree:4"}, "the hosts of fat-tree:4 are joined by switches, and have no neighbours"},
    {{"run", "halo", "--on", "line:4", "--permutation", "shift:1"},
     "--permutation 'shift:1': neighbor-alltoall has none; leave --permutation out"},
    {{"list", "topologie"},
     "no list is called 'topologie'; did you mean 'topologies'? (operations, algorithms, topologies, formats, faults)"},
    {{"list", "--on", "mesh:2x2"}, "kport list takes no '--on'"},
    {{"chip", "broadcast"}, "unexpected 'broadcast' after 'chip'"},
    {{"chip", "--on", "mesh:2x2"}, "kport chip takes no '--on'"},
    {{"chip", "--thread", "2"}, "unknown option '--thread'; did you mean '--threads'? ('kport chip --help' shows all)"},
    {{"chip", "--threads", "0"}, "--threads '0' is too small; want at least 1"},
    {{"chip", "--threads"}, "--threads needs a value: --threads N"},
    {{"run", "--prots", "1", "broadcast", "--on", "hypercube:3"},
     "unknown option '--prots'; did you mean '--ports'? ('kport run --help' shows all)"},
};

const std::vector<Hostile> shapes = {
    on_cube({"extra"}, "unexpected 'extra' after 'broadcast'"),
    on_cube({"--prots=1"}, "unknown option '--prots'; did you mean '--ports'? ('kport run --help' shows all)"),
    on_cube({"--ports"}, "--ports needs a value: --ports K"),
    on_cube({"--ports="}, "--ports needs a value: --ports K"),
    on_cube({"--ports", ""}, "--ports is empty: --ports K"),
    on_cube({"--ports", "--json"}, "--ports needs a value before '--json': --ports K"),
    on_cube({"--ports", "--source", "1"}, "--ports needs a value before '--source': --ports K"),
    {{"run", "broadcast", "--on", "--ports", "1"}, "--on needs a value before '--ports': --on TOPOLOGY"},
    {{"run", "scan", "--on", "--values", "1,2"}, "--on needs a value before '--values': --on TOPOLOGY"},
    {{"run", "broadcast", "--n", "ring:4"}, "unknown option '--n' ('kport run --help' shows all)"},
    on_cube({"--json=1"}, "--json takes no value, but '--json=1' gives one"),
    on_cube({"--json", "--json"}, "--json is given 2 times"),
    on_cube({"--on", "hypercube:4"}, "--on is given 2 times: 'hypercube:3' and 'hypercube:4'"),
    on_cube({"--source", "1", "--root", "2"}, "--source is given 2 times: '1' and '2'"),
    on_cube({"--", "--json"}, "'--' has no meaning here: every word that starts with a dash is an option"),
};

const std::vector<Hostile> topologies = {
    on("", "--on is empty: --on TOPOLOGY"),
    on("mesh:0x5", "topology 'mesh:0x5': side 0; every side must be at least 1"),
    on("mesh:4x", "topology 'mesh:4x': side missing; want digits only, such as 16"),
    on("meshh:4x4", "topology 'meshh:4x4': unknown family 'meshh'; did you mean 'mesh:4x4'? " + families),
    on("hypercube:41", "topology 'hypercube:41': dimension '41' is too large; want at most 40"),
    on("line:18446744073709551616",
       "topology 'line:18446744073709551616': number of nodes '18446744073709551616' is too large; want at most "
       "1099511627776"),
    on("hyper\x1b[31mcube:3",
       "topology 'hyper?[31mcube:3': unknown family 'hyper?[31mcube'; did you mean 'hyperx:AxBx...'? " + families),
    on("[a,b]", "topology '[a,b]': unknown family '[a,b]' " + families),
};

const std::vector<Hostile> values = {
    on_cube({"--bytes", "12Q"},
            "--bytes '12Q' has the unknown suffix 'Q'; want a whole number, alone or with B, KiB, MiB or GiB, such as "
            "64KiB"),
    on_cube({"--bytes", "-1"},
            "--bytes '-1' is not a size; want a whole number, alone or with B, KiB, MiB or GiB, such as 64KiB"),
    on_cube({"--ports", "0"}, "--ports '0' is too small; want at least 1"),
    on_cube({"--ports", "-1"}, "--ports '-1' is not a whole number; want digits only, such as 16"),
    on_cube({"--ports", "al"},
            "--ports 'al' is neither a number nor 'all'; want 1, 2, ... or all, or two of them such as 1:2 for sends "
            "and receives"),
    on_cube({"--ports", "1:"},
            "--ports '1:' is neither a number nor 'all'; want 1, 2, ... or all, or two of them such as 1:2 for sends "
            "and receives"),
    on_cube({"--ports", ":1"},
            "--ports ':1' is neither a number nor 'all'; want 1, 2, ... or all, or two of them such as 1:2 for sends "
            "and receives"),
    on_cube({"--ports", ":"},
            "--ports ':' is neither a number nor 'all'; want 1, 2, ... or all, or two of them such as 1:2 for sends "
            "and receives"),
    on_cube({"--ports", "2:1:1"}, "--ports '1:1' is not a whole number; want digits only, such as 16"),
    on_cube({"--ports", "1:-1"}, "--ports '-1' is not a whole number; want digits only, such as 16"),
    on_cube({"--ports", "1:x"},
            "--ports '1:x' is neither a number nor 'all'; want 1, 2, ... or all, or two of them such as 1:2 for sends "
            "and receives"),
    on_cube({"--ports", "4294967295:1"}, "--ports '4294967295' is too large; want at most 4294967294"),
    on_cube({"--ports", "1:99999999999999999999"},
            "--ports '99999999999999999999' is too large; want at most 4294967294"),
    on_cube({"--ports", "0:0"}, "ports '0': a node needs at least 1 port; use 1, 2, ... or all"),
    on_cube({"--ports", "1:2", "--duplex", "half"},
            "ports '1:2': half duplex ports have as many sends as receives; want one number, or all"),
    on_cube({"--ports", "all:1", "--pairwise"},
            "ports 'all:1': pairwise machines have as many sends as receives; want one number, or all"),
    on_cube({"--ports-by", "ports"},
            "--ports-by 'ports': hypercube:3 is no graph file, whose nodes could have it; want --ports"),
    {{"run", "broadcast", "--on", "tests/files/graphs/ports/p-hub.graphml", "--ports-by", "prots"},
     "--ports-by 'prots': no node of the graph has this attribute"},
    on_cube({"--ports", "4294967295"}, "--ports '4294967295' is too large; want at most 4294967294"),
    on_cube({"--threads", "0"}, "--threads '0' is too small; want at least 1"),
    on_cube({"--threads", "100000"}, "--threads '100000' is too large; want at most 1024"),
    on_cube({"--seed", "-1"}, "--seed '-1' is not a whole number; want digits only, such as 16"),
    on_cube({"--ts", "nan"},
            "--ts 'nan' is not a price; want a finite number of at least 0 without a unit, such as 0.5"),
    on_cube({"--td", "-1"}, "--td '-1' is not a price; want a finite number of at least 0 without a unit, such as 0.5"),
    on_cube({"--tm", "1e999"},
            "--tm '1e999' is out of range; want a finite number of at least 0 without a unit, such as 0.5"),
    on_cube({"--ts", "3", "--prices", "logp:6,2,4"}, "--ts '3': --prices logp:6,2,4 gives 10; leave one of them out"),
    on_cube({"--prices", "logp:6,2"}, "--prices 'logp:6,2': want logp:L,o,g"),
    on_cube({"--td-by", "weight"},
            "--td-by 'weight': hypercube:3 is no graph file, whose links could have it; want --slow PARTS"),
    on_cube({"--tm-by", "1/"}, "--tm-by '1/': want the name of an attribute of links, or 1/NAME, without quotes"),
    on_cube({"--slow", "0--1"},
            "--slow '0--1': '' is no factor; want a number above 0 behind each part, such as 0--1=4 or 3=2.5"),
    on_cube({"--slow", "0--3=2"},
            "--slow '0--3=2': hypercube:3 has no link between node 0 and node 3; node 0 has links to 1, 2, 4"),
    {{"run", "broadcast", "--on", "tests/files/graphs/petersen.edges", "--td-by", "weight"},
     "--td-by 'weight': the links of file:tests/files/graphs/petersen.edges have no attribute 'weight' with finite "
     "numbers; want a file whose links have weights"},
    on_cube({"--source", "8"}, "source '8': hypercube:3 has nodes 0 to 7"),
    on_cube({"--duplex", "hlaf"}, "--duplex 'hlaf' is unknown; did you mean 'half'? (full, half)"),
    on_cube({"--switching", "SF"}, "--switching 'SF' is unknown; did you mean 'sf'? (sf, wh)"),
    on_cube({"--combining", "of"}, "--combining 'of' is unknown; did you mean 'off'? (on, off)"),
    on_cube({"--combining", "yes"}, "--combining 'yes' is unknown; did you mean 'on'? (on, off)"),
    on_cube({"--policy", "quiet"}, "--policy 'quiet' is unknown (queue, strict)"),
    on_cube({"--payload", "cpoy"}, "--payload 'cpoy' is unknown; did you mean 'copy'? (copy, none)"),
    on_cube({"--engine", "lokstep"}, "--engine 'lokstep' is unknown; did you mean 'lockstep'? (lockstep, free)"),
    {{"run", "reduce", "--on", "line:3", "--op", "concat", "--type", "int64"},
     "--op concat is not defined for --type int64; concat wants --type string"},
    {{"run", "reduce", "--on", "line:3", "--bytes", "12"},
     "--bytes 12: elements of type int64 have 8 bytes each; want a multiple of 8"},
    {{"run", "reduce", "--on", "line:3", "--values", "1,2"},
     "--values gives 2 values; want one for each of the 3 nodes"},
    {{"run", "reduce", "--on", "line:3", "--values", "1,x,3"},
     "--values: 'x' is not of type int64; want a whole number from -9223372036854775808 to 9223372036854775807, such "
     "as 12"},
    on_cube({"--dimensions", "1,,0"}, "--dimensions '1,,0': dimension missing; want digits only, such as 16"),
    {{"run", "broadcast", "--on", "mesh:3x3", "--source", "1,5"},
     "source '1,5': mesh:3x3 has nodes 0 to 8, or i,j with i < 3, j < 3"},
    {{"bounds", "alltoall", "--on", "ring:8", "--source", "1"},
     "--source '1': alltoall has no source; leave --source out"},
};

/// `compare broadcast` and more.
Hostile comparing(std::vector<std::string> more, std::string message) {
    std::vector<std::string> arguments = {"compare", "broadcast"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return {arguments, std::move(message)};
}

/// `compare broadcast --sweep TOPOLOGIES`; the message stands behind the quoted word.
Hostile sweeping(const std::string& sweep, const std::string& message) {
    return comparing({"--sweep", sweep}, "--sweep '" + sweep + "': " + message);
}

const std::string whole = " is not a whole number; want digits only, such as 16";
const std::string no_number =
    "the braces are empty and there is no number before them; such as 'hypercube:{2..16}' or 'line:{9,17,33}'";

const std::vector<Hostile> sweeps = {
    sweeping("hypercube:4",
             "no sizes in braces, such as 'hypercube:{2..16}' or 'line:{9,17,33}'; for one machine there is --on"),
    sweeping("hypercube:{}", no_number),
    sweeping("mesh:{}x{2,4}", no_number),
    sweeping("hypercube:{,}", "number missing; want digits only, such as 16"),
    sweeping("hypercube:{2,x}", "number 'x'" + whole),
    sweeping("hypercube:{2..4,8}", "number '2..4'" + whole),
    sweeping("hypercube:{..}", "number missing; want digits only, such as 16"),
    sweeping("hypercube:{1...4}", "number '.4'" + whole),
    sweeping("hypercube:{-1..4}", "number '-1'" + whole),
    sweeping("hypercube:{2..99999999999999999999}",
             "number '99999999999999999999' is too large; want at most 18446744073709551615"),
    sweeping("hypercube:{2..8..2..2}", "a range is FROM..TO or FROM..TO..STEP, such as 2..16"),
    sweeping("hypercube:{9..2}", "9..2 runs backwards; want 2..9"),
    sweeping("hypercube:{2..9..0}", "the step must be at least 1"),
    sweeping("hypercube:{{2,3}}", "braces inside braces"),
    sweeping("hypercube:{2,3", "'{' without '}'"),
    sweeping("hypercube:2}", "'}' without '{'"),
    sweeping("hypercube:}{", "'}' without '{'"),
    sweeping("mesh:{2,4}x{2,4}",
             "only one pair of braces holds numbers; empty ones repeat them, such as 'mesh:{4,8}x{}'"),
    sweeping("line:{1..10001}", "more than 10000 machines"),
    sweeping("line:{0..18446744073709551615}", "more than 10000 machines"),
    sweeping("hypercube",
             "not a topology; such as 'hypercube:{2..16}' or 'line:{9,17,33}' (the operation stands before --sweep)"),
    comparing({"--sweep", ""}, "--sweep is empty: --sweep TOPOLOGIES"),
    comparing({"--sweep", " "}, "--sweep names no machine; such as 'hypercube:{2..16}' or 'line:{9,17,33}'"),
    comparing({"--sweep", "line:{3,3}"}, "--sweep has 'line:3' twice"),
    comparing({"--sweep", "lime:{3,4}"},
              "topology 'lime:3': unknown family 'lime'; did you mean 'line:3'? " + families),
    comparing({"--sweep", "hypercube:{40,41}"},
              "topology 'hypercube:41': dimension '41' is too large; want at most 40"),
    comparing({"--sweep", "line:{3,4}", "--on", "line:5"}, "--on and --sweep both name machines; want one of them"),
    comparing(
        {"--on", "line:{3,4}"},
        "--on 'line:{3,4}' wants one machine, without braces; kport compare broadcast --sweep 'line:{3,4}' takes many"),
    comparing({"--on", "line:3", "line:4"},
              "unexpected 'line:4' after 'broadcast'; many machines are for 'kport compare OPERATION --sweep'"),
    comparing(
        {"--sweep", "line:{8,9}", "--keep", "smaller"},
        "--keep: no broadcast on line:8 takes it; rda-product does, and needs wormhole switching (--switching wh)"),
    comparing({"--sweep", "line:{8,9}", "--per-round"},
              "--per-round has no place in a table of machines; 'kport run' shows the rounds of one"),
    comparing({"--sweep", "line:{8,9}", "--csv", "--json"}, "--csv and --json: want one of them"),
    {{"run", "broadcast", "--sweep", "line:{8,9}"},
     "kport run takes no '--sweep'; it is an option of kport compare, bench"},
    {{"compare", "scatter", "--sweep", "line:{8,9}", "--source", "8"}, "source '8': line:8 has nodes 0 to 7"},
};

const std::vector<Hostile> machines = {
    comparing({"--on", "line:8", "--ports", "1,,2"}, "--ports '1,,2': a value is missing beside a comma"),
    comparing({"--on", "line:8", "--ports", ","}, "--ports ',': a value is missing beside a comma"),
    comparing({"--on", "line:8", "--ports", "2,2"}, "--ports has '2' twice"),
    comparing({"--on", "line:8", "--ports", "1,0"}, "--ports '0' is too small; want at least 1"),
    comparing({"--on", "line:8", "--switching", "sf,wf"}, "--switching 'wf' is unknown; did you mean 'wh'? (sf, wh)"),
    comparing({"--sweep", "line:{1..10000}", "--ports", "1,2"},
              "a comparison of more than 10000 machines; give fewer values"),
    on_cube({"--ports", "1,2"}, "--ports '1,2': one machine has one value; 'kport compare' takes several"),
    on_cube({"--switching", "sf,wh"}, "--switching 'sf,wh': one machine has one value; 'kport compare' takes several"),
    on_cube({"--bytes", "8..64"}, "--bytes '8..64': one machine has one value; 'kport compare' takes several"),
    on_cube({"--td", "0,0.1"}, "--td '0,0.1': one machine has one value; 'kport compare' takes several"),
    on_cube({"--source", "0,1"}, "--source '0,1': a run has one source; 'kport compare' takes several"),
    on_cube({"--source", "all"}, "--source 'all': a run has one source; 'kport compare' takes several"),
    comparing({"--on", "line:8", "--td", "0,x"},
              "--td 'x' is not a price; want a finite number of at least 0 without a unit, such as 0.5"),
    comparing({"--on", "line:8", "--source", "0,0"}, "--source has '0' twice"),
    comparing({"--on", "line:8", "--source", "0,8"}, "source '8': line:8 has nodes 0 to 7"),
    comparing({"--on", "mesh:3x3", "--source", "1,3"},
              "source '1,3': mesh:3x3 has nodes 0 to 8, or i,j with i < 3, j < 3; several nodes: --source '1;3'"),
    comparing({"--on", "hypercube:14", "--source", "all"},
              "--source 'all': 16384 sources, more than 10000; name some of them"),
    comparing({"--on", "hypercube:13", "--source", "all", "--td", "0,1"},
              "a comparison of more than 10000 machines; give fewer values"),
    comparing({"--on", "line:8", "--bytes", "8,64", "--td", "0,1", "--plot", "x.svg"},
              "--plot: --bytes and --td have several values each, and a plot has one axis; give one of them one value, "
              "or name the axis: --plot-over td"),
    comparing({"--on", "line:8", "--switching", "sf,wh", "--ports", "1,2", "--plot", "x.svg"},
              "--plot: --ports and --switching have several values each, and a plot has one axis; give one of them one "
              "value, or name the axis: --plot-over switching"),
    comparing(
        {"--on", "line:8", "--ports", "1,2", "--plot", "x.svg", "--plot-over", "prots"},
        "--plot-over 'prots': no option with a list of values is called so; did you mean 'ports'? (topology, bytes, "
        "packets, ts, td, tm, source, ports, switching, combining, keep, duplex, links, noho, policy)"),
    comparing({"--on", "line:8", "--ports", "1,2", "--plot", "x.svg", "--plot-over", "bytes"},
              "--plot-over bytes: --bytes has one value; want several with commas between them"),
    comparing({"--sweep", "line:8 ring:8", "--ports", "1,2", "--plot", "x.svg", "--plot-over", "topology"},
              "--plot-over topology: want machines of several sizes, such as --sweep 'hypercube:{4..12}'"),
    comparing({"--on", "line:8", "--ports", "1,2", "--plot-over", "ports"},
              "--plot-over: want --plot FILE.svg beside it"),
    comparing({"--on", "line:8", "--ports", "1,2", "--plot", "x.svg", "--plot-as", "matrix", "--plot-over", "ports"},
              "--plot-over: a matrix has no axis; leave one of --plot-over and --plot-as out"),
    comparing({"--on", "line:8", "--message", "8..64", "--plot", "x.svg", "--plot-over", "bytes"},
              "--plot-over: of --message the sizes are the axis"),
    comparing({"--on", "line:8", "--ports", "1,2", "--plot", "-", "--json"},
              "--plot -: the picture is the answer; leave --json out"),
    comparing({"--on", "line:8", "--routing", "fixed,adaptive"},
              "--routing 'fixed,adaptive' is unknown (fixed, adaptive)"),
    comparing({"--on", "line:8", "--bytes", "8,64", "--plot", "x.svg", "--plot-of", "round"},
              "--plot-of 'round' is no quantity; did you mean 'rounds'? (rounds, work, path_sum, volume, latency)"),
    comparing({"--on", "line:8", "--bytes", "8,64", "--plot-of", "rounds"},
              "--plot-of: want --plot FILE.svg beside it"),
    comparing({"--on", "line:8", "--bytes", "8,64", "--plot-as", "matrix"},
              "--plot-as: want --plot FILE.svg beside it"),
    comparing({"--on", "line:8", "--plot", "x.svg", "--plot-as", "matrix"},
              "--plot-as matrix: want several machines (--sweep 'mesh:{4,8}x{}'), or lists of values"),
    comparing({"--on", "line:8", "--message", "8..64", "--plot", "x.svg", "--plot-as", "matrix"},
              "--plot-as: of --message the latency is drawn, as curves"),
    comparing({"--on", "line:501", "--source", "all", "--plot", "x.svg", "--plot-as", "matrix"},
              "--plot-as matrix: at most 500 machines, these are 501"),
    comparing(
        {"--on", "line:8", "--ports", "1,2", "--plot", "x.svg", "--plot-as", "map"},
        "--plot-as map: want one machine and several sources, such as --source all, and nothing else that varies"),
    comparing({"--on", "hypercube:11", "--source", "0,1", "--plot", "x.svg", "--plot-as", "map"},
              "--plot-as map: at most 1024 nodes, these are 2048"),
    comparing({"--on", "line:8", "--source", "0,1", "--plot", "x.svg", "--plot-as", "maps"},
              "--plot-as 'maps' is unknown (curves, matrix, map)"),
    comparing({"--on", "line:8", "--bytes", "8,64", "--plot", "x.gif"},
              "--plot 'x.gif': the picture is SVG or PNG; want a name that ends in .svg or .png"),
    comparing({"--on", "line:8", "--message", "8..64", "--plot", "x.svg", "--plot-of", "work"},
              "--plot-of 'work': of --message the latency alone is drawn"),
    comparing({"--sweep", "line:8 ring:8", "--plot", "x.svg"},
              "--plot: nothing differs along the axis; want several values of --bytes, --packets, --ts, --td, --tm, "
              "--source, --ports, --switching or another option with a list, machines of several sizes (--sweep "
              "'hypercube:{4..12}'), or --message 8..64MiB; --plot-as matrix draws machines of one size"),
};

class Refused : public testing::TestWithParam<Hostile> {};

TEST_P(Refused, WithOneLineThatHelps) {
    const Hostile& request = GetParam();
    const Outcome outcome = kport(request.arguments);
    EXPECT_EQ(outcome.err, "kport: " + request.message + "\n");
    EXPECT_EQ(outcome.status, request.status);
    EXPECT_EQ(outcome.out, "");
}

INSTANTIATE_TEST_SUITE_P(Commands, Refused, testing::ValuesIn(commands));
INSTANTIATE_TEST_SUITE_P(Shapes, Refused, testing::ValuesIn(shapes));
INSTANTIATE_TEST_SUITE_P(Topologies, Refused, testing::ValuesIn(topologies));
INSTANTIATE_TEST_SUITE_P(Values, Refused, testing::ValuesIn(values));
INSTANTIATE_TEST_SUITE_P(Sweeps, Refused, testing::ValuesIn(sweeps));
INSTANTIATE_TEST_SUITE_P(Machines, Refused, testing::ValuesIn(machines));

/// Messages that list the algorithms: the beginning is fixed, the list grows.
struct Start {
    std::string line;
    std::string beginning;
    int status = 2;
};
class RefusedBeginning : public testing::TestWithParam<Start> {};

TEST_P(RefusedBeginning, WithOneLine) {
    const Outcome outcome = kport(GetParam().line);
    EXPECT_EQ(outcome.err.substr(0, GetParam().beginning.size() + 7), "kport: " + GetParam().beginning);
    EXPECT_EQ(outcome.err.find('\n'), outcome.err.size() - 1);
    EXPECT_EQ(outcome.status, GetParam().status);
    EXPECT_EQ(outcome.out, "");
}

INSTANTIATE_TEST_SUITE_P(
    Algorithms, RefusedBeginning,
    testing::Values(
        Start{"run broadcast --on hypercube:3 --algorithm sbr",
              "algorithm 'sbr' is unknown for broadcast; did you mean 'sbt'?"},
        Start{"run broadcast --on hypercube:3 --algorithm dost", "algorithm 'dost' needs a mesh, torus, line or ring"},
        Start{"run broadcast --on hypercube:3 --keep smaller",
              "--keep: no broadcast on hypercube:3 takes it; rda-product does, and needs a mesh, torus, line or ring"},
        Start{"run broadcast --on ring:4 --aggregate 3",
              "--aggregate: no algorithm of broadcast takes it; leave it out"},
        Start{"run broadcast --on ring:4 --arity 3",
              "--arity: no broadcast on ring:4 takes it; tree does, and needs a complete graph"},
        Start{"run broadcast --on mesh:4x4 --dimensions 1,0",
              "--dimensions: no broadcast on mesh:4x4 takes it; rda-product does, and needs wormhole switching"},
        Start{"run scan --on complete:4 --source 1 --combining off",
              "--source: only tree, gather-scatter have a root in a scan; leave it out"},
        Start{"run broadcast --on ring:4 --algorithm bruck",
              "algorithm 'bruck' is not one of broadcast; on ring:4 dost, farthest-first, "},
        Start{"compare broadcast --on line:4 --switching wh,sf --algorithm u-mesh",
              "algorithm 'u-mesh' needs wormhole switching (--switching wh); on line:4"},
        Start{"compare broadcast --on hypercube:3 --algorithm sbr", "algorithm 'sbr' is unknown for broadcast"}));

TEST(Refusals, SayWhatWouldDo) {
    const auto refusal = [](const std::string& command) { return kport(command).err; };
    EXPECT_EQ(refusal("run barrier --on complete:4 --packets 2"),
              "kport: --packets 2: a barrier has no packets; leave it out\n");
    EXPECT_EQ(refusal("run allgather --on complete:8 --algorithm pat --aggregate 3"),
              "kport: algorithm 'pat' needs --aggregate of a power of two up to 4; on complete:8 (1-port full duplex, "
              "store-and-forward) it runs without that option\n");
    EXPECT_EQ(refusal("run broadcast --on hypercube:3 --algorithm scatter-allgather --packets 8 --gather ring"),
              "kport: algorithm 'scatter-allgather' takes no --gather; on hypercube:3 (1-port full duplex, "
              "store-and-forward) it runs without that option\n");
    EXPECT_EQ(
        refusal("bounds alltoall --on hypercube:30 --packets 4294967294 --bytes 1GiB"),
        "kport: --packets 4294967294: want 1 to 3; those of all 1073741824 nodes together have numbers of 32 bits\n");
    const std::string none = refusal("run alltoall --on mesh:20x20 --combining off");
    EXPECT_THAT(none, testing::HasSubstr("coloured-exchange, greedy-gossip: each needs a combining machine "
                                         "(--combining on)"));
    EXPECT_THAT(refusal("run scan --on star:20 --combining off --packets 2"),
                testing::HasSubstr("tree sends 2 packets together and needs a combining machine (--combining on)"));
    EXPECT_THAT(refusal("run exscan --on cbt:2 --ports all --links half --combining off --packets 5"),
                testing::HasSubstr("searched: a short search finds no schedule of exscan on cbt:2; 'kport search'"));
    EXPECT_THAT(none, testing::Not(testing::HasSubstr("hypercube"))) << "of other topologies nobody has asked";
}

INSTANTIATE_TEST_SUITE_P(
    TooLarge, RefusedBeginning,
    testing::Values(Start{"run broadcast --on hypercube:40",
                          "hypercube:40 has 1099511627776 nodes; a run holds fewer than 2^32 and needs about ", 3},
                    Start{"run broadcast --on mesh:60000x60000 --bytes 1MiB",
                          "mesh:60000x60000 with 1048576-byte packets needs about 3515", 3},
                    Start{"compare broadcast --on mesh:60000x60000 --bytes 1MiB",
                          "mesh:60000x60000 with 1048576-byte packets needs about 3515", 3},
                    Start{"run scatter --on line:7 --algorithm dost --bytes 970881267037344813 --payload none",
                          "counting the bytes up to round ", 3},
                    Start{"run broadcast --on hypercube:20 --bytes 17179869183GiB --payload none",
                          "counting the bytes up to round ", 3}));

}  // namespace
}  // namespace kport::test
