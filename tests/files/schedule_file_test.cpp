/// @file schedule_file_test.cpp   Schedules as text: a written schedule reads back; other text is refused.
#include <array>
#include <fstream>
#include <regex>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "app/files/schedule_file.hpp"
#include "emulator/base/error.hpp"
#include "tests/support/traces.hpp"

namespace kport {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

std::string written(const Schedule& schedule, const Topology& topology) {
    std::ostringstream out;
    write_schedule(out, schedule, topology);
    return out.str();
}

ScheduleFile read(const std::string& text) {
    std::istringstream in(text);
    return read_schedule(in, "x.json");
}

/// Why a text is refused, without the name of the file.
std::string refusal(const std::string& text) {
    try {
        (void)read(text);
    } catch (const RequestError& error) {
        const std::string name = "schedule 'x.json': ";
        EXPECT_THAT(error.what(), StartsWith(name));
        return std::string(error.what()).substr(name.size());
    }
    return "accepted";
}

/// A file with these transfers.
std::string file_of(const std::string& transfers) {
    return R"({"kport_schedule": 1, "topology": "line:4", "transfers": [)" + transfers + "]}";
}
/// A file with one transfer, in which one member is replaced.
std::string file_with(const std::string& member, const std::string& value) {
    std::string transfer;
    for (const auto& [name, usual] : std::vector<std::pair<std::string, std::string>>{
             {"round", "1"}, {"from", "0"}, {"to", "1"}, {"route", "[1]"}, {"packets", "[0]"}})
        transfer += (transfer.empty() ? "" : ", ") + ('"' + name + "\": ") + (name == member ? value : usual);
    return file_of("{" + transfer + "}");
}

TEST(ScheduleFile, KeepsHowManyBytesAMessageHasWhereNothingIsPromised) {
    const auto line = make_topology("line:3");
    const PacketBlock nine = contents_packets(9);
    Schedule schedule;
    schedule.add(2, {0, 1, std::array{Port{0}}, {&nine, 1}});
    const Schedule again = read(written(schedule, *line)).schedule;
    ASSERT_EQ(again.size(), 1U);
    EXPECT_EQ(again.round(0), 2U);
    EXPECT_EQ(size_of(again.transfer(0).packets), 9U);
}

TEST(ScheduleFile, HoldsATransferALine) {
    const auto line = make_topology("line:3");
    EXPECT_EQ(written(test::schedule(*line, {{1, 0, 1}, {2, 1, 2}}), *line),
              R"({"kport_schedule": 1, "topology": "line:3", "transfers": [
{"round":1,"from":0,"to":1,"route":[1],"packets":[0]},
{"round":2,"from":1,"to":2,"route":[1],"packets":[0]}
]}
)");
    EXPECT_EQ(written({}, *line), "{\"kport_schedule\": 1, \"topology\": \"line:3\", \"transfers\": [\n]}\n");
}

TEST(ScheduleFile, WritesOnePacketAsItsNumberAndMoreAsRuns) {
    const auto line = make_topology("line:2");
    const std::vector<Port> right = {1};
    const std::vector<PacketBlock> packets = {{7}, {3, 2, 4}, {1, 1, 1, 5}, {1, 1, 2, 5, 2, 3}};
    Schedule one;
    one.add(2, {0, 1, right, packets});
    EXPECT_EQ(written(one, *line), R"({"kport_schedule": 1, "topology": "line:2", "transfers": [
{"round":2,"from":0,"to":1,"route":[1],"packets":[7,{"first":3,"stride":2,"count":4},)"
                                   R"({"first":1,"stride":1,"count":1,"row":5,"row_stride":1,"rows":1},)"
                                   R"({"first":1,"stride":1,"count":2,"row":5,"row_stride":2,"rows":3}]}
]}
)");
    EXPECT_EQ(read(written(one, *line)).schedule, one);
}

TEST(ScheduleFile, NamesTheRulesOfItsMachine) {
    const auto line = make_topology("line:2");
    Machine machine;
    machine.ports = PortLimit(2);
    machine.combining = false;
    std::ostringstream out;
    write_schedule(out, {}, *line, std::nullopt, machine);
    EXPECT_THAT(out.str(), HasSubstr(R"("machine": "2-port full duplex, store-and-forward, noncombining")"));
    const ScheduleFile file = read(out.str());
    ASSERT_TRUE(file.machine);
    EXPECT_EQ(rules_in_words(*file.machine), rules_in_words(machine));
    EXPECT_FALSE(read(written({}, *line)).machine);
}

TEST(ScheduleFile, IsReadInAnyOrderOfMembers) {
    const ScheduleFile file = read(
        R"({"transfers": [{"packets": [5, {"count": 2, "first": 7, "stride": 3}], "route": [1, 1], "to": 2, "from": 0, "round": 4}],
            "topology": "line:3", "kport_schedule": 1})");
    EXPECT_EQ(file.topology, "line:3");
    ASSERT_EQ(file.schedule.size(), 1U);
    EXPECT_EQ(file.schedule.round(0), 4U);
    const Transfer transfer = file.schedule.transfer(0);
    EXPECT_EQ(transfer.from, 0U);
    EXPECT_EQ(transfer.to, 2U);
    EXPECT_THAT(transfer.route, testing::ElementsAre(1, 1));
    EXPECT_THAT(transfer.packets, testing::ElementsAre(PacketBlock{5, 1, 1}, PacketBlock{7, 3, 2}));
}

TEST(ScheduleFile, LeavesLegalityToTheAuditor) {
    EXPECT_EQ(refusal(file_with("to", "999999")), "accepted");
    EXPECT_EQ(refusal(file_with("route", "[4294967294]")), "accepted");
    EXPECT_EQ(refusal(file_with("round", "4294967295")), "accepted");
    EXPECT_EQ(refusal(file_with("packets", "[0, 0]")), "accepted");
    EXPECT_EQ(refusal(file_with("from", "1099511627775")), "accepted");
    EXPECT_EQ(refusal(file_with("to", "1099511627775")), "accepted");
}

// ------------------------------------------------------------------------------------------------------------- refusals

TEST(ScheduleFile, RefusesTextThatIsNotJson) {
    EXPECT_THAT(refusal(""), StartsWith("parse error at line 1, column 1"));
    EXPECT_THAT(refusal("{"), HasSubstr("parse error"));
    EXPECT_THAT(refusal("{\"kport_schedule\": 1,\n \"topology\" \"line:3\"}"), HasSubstr("line 2"));
    EXPECT_THAT(refusal(file_of("") + "x"), HasSubstr("parse error"));
    EXPECT_THAT(refusal(file_of("") + file_of("")), HasSubstr("parse error"));
    EXPECT_THAT(refusal("\xff\xfe{}"), HasSubstr("parse error"));
    EXPECT_THAT(refusal("{\"kport_schedule\": 1, \"topology\": \"\xc3\x28\"}"), HasSubstr("parse error"));
    EXPECT_THAT(refusal(std::string("\0", 1)), HasSubstr("parse error"));
    EXPECT_THAT(refusal("{\"kport_schedule\": 1 1}"), HasSubstr("parse error"));
    EXPECT_THAT(refusal("{\"kport_schedule\": +1}"), HasSubstr("parse error"));
    EXPECT_THAT(refusal("{\"kport_schedule\": 1e999}"), HasSubstr("number overflow"));
}

TEST(ScheduleFile, RefusesInOneLineOfPrintableText) {
    for (const std::string text : {"\x01\x02\n\x7f", "{\"a\nb\": 1}", "{\"\\u0007\": 1}", "[\"\xe2\x98\x83\"]"})
        for (const char c : refusal(text)) EXPECT_TRUE(static_cast<unsigned char>(c) >= 0x20) << refusal(text);
    EXPECT_LT(refusal("{\"" + std::string(100'000, 'x') + "\": 1}").size(), 400U);
    EXPECT_THAT(refusal("{\"~\x7f\xc3\xa4\xff\": 1}"), HasSubstr("last read: '\"~" + std::string(4, '?')));
}

TEST(ScheduleFile, CutsALongRefusalOfTheParser) {
    const auto refused = [](std::size_t letters) { return refusal("{\"" + std::string(letters, 'x') + '\xff'); };
    const std::size_t room = 300 - (refused(100).size() - 100);
    EXPECT_EQ(refused(room).size(), 300U);
    EXPECT_THAT(refused(room), EndsWith("expected string literal"));
    EXPECT_EQ(refused(room + 1), refused(room + 1).substr(0, 300) + "...");
    EXPECT_EQ(refused(room + 1).size(), 303U);
    EXPECT_THAT(refused(room + 1), EndsWith("expected string litera..."));
}

TEST(ScheduleFile, RefusesOtherTopLevelValues) {
    EXPECT_EQ(refusal("[]"), "the file: an array; want one JSON object");
    EXPECT_EQ(refusal("7"), "the file: 7; want one JSON object");
    EXPECT_EQ(refusal("null"), "the file: null; want one JSON object");
    EXPECT_EQ(refusal("{}"), "the file has no member 'kport_schedule'");
    EXPECT_EQ(refusal(R"({"kport_schedule": 1})"), "the file has no member 'topology'");
    EXPECT_EQ(refusal(R"({"kport_schedule": 1, "topology": "line:3"})"), "the file has no member 'transfers'");
    EXPECT_EQ(refusal(R"({"kport_schedule": 2})"), "kport_schedule: 2; want 1");
    EXPECT_EQ(refusal(R"({"kport_schedule": "1"})"), "kport_schedule: '1'; want 1");
    EXPECT_EQ(refusal(R"({"kport_schedule": 1, "kport_schedule": 1})"), "the file has two members 'kport_schedule'");
    EXPECT_EQ(refusal(R"({"kport_schedule": 0})"), "kport_schedule: 0; want 1");
    EXPECT_EQ(refusal(R"({"kport_schedule": [1]})"), "kport_schedule: an array; want 1");
    EXPECT_EQ(refusal(R"({"transfers": 1})"), "transfers: 1; want an array");
    EXPECT_EQ(refusal(R"({"topology": 1})"), "topology: 1; want a specification in quotes, such as \"hypercube:3\"");
    EXPECT_EQ(refusal(R"({"topology": 3})"), "topology: 3; want a specification in quotes, such as \"hypercube:3\"");
    EXPECT_EQ(refusal(R"({"transfers": {}})"), "transfers: an object; want an array");
    EXPECT_EQ(refusal(R"({"transfer": []})"),
              "the file has a member 'transfer'; did you mean 'transfers'? (kport_schedule, topology, transfers, "
              "silent_rounds, operation, root, permutation, packets, in_runs, unfolded, machine, own, counts, sizes, "
              "members, options)");
    EXPECT_THAT(refusal(R"({"machine": "1-port half duplex"})"),
                HasSubstr("machine: machine '1-port half duplex' is not known; want one such as '1-port half duplex, "
                          "store-and-forward'"));
    EXPECT_THAT(refusal(R"({"machine": 1})"), HasSubstr("machine: 1; want rules in quotes"));
    EXPECT_EQ(refusal(R"({"in_runs": 1})"), "in_runs: 1; want true or false");
    EXPECT_EQ(refusal(R"({"root": true})"), "root: true; want a node's number");
}

/// Each node of a line has a packet for the next one.
Collective shift(NodeId nodes) {
    return Collective::custom({.name = "shift \"one\"",
                               .packets = nodes,
                               .owned = [](NodeId v) { return PacketSet::range(v, v + 1); },
                               .wanted = [](NodeId v) { return v == 0 ? PacketSet() : PacketSet::range(v - 1, v); },
                               .packet_bytes = 8,
                               .noun = "what comes from the left"});
}

TEST(ScheduleFile, HoldsWhatACollectiveOfOnesOwnPromises) {
    const auto line = make_topology("line:4");
    const Collective own = shift(4);
    std::ostringstream out;
    write_schedule(out, Schedule(), *line, own);
    const ScheduleFile file = read(out.str());
    ASSERT_TRUE(file.own);
    const Collective back = collective_of(*file.own, *line, 8);
    EXPECT_EQ(name(back.operation), "shift \"one\"");
    EXPECT_EQ(back.operation->noun, "what comes from the left");
    EXPECT_EQ(back.packets(4), 4U);
    EXPECT_EQ(back.packet_bytes, 8U);
    for (NodeId v = 0; v < 4; ++v) {
        EXPECT_EQ(size_of(back.owned(v, 4).blocks()), 1U);
        EXPECT_TRUE(back.owned(v, 4).covers(own.owned(v, 4).blocks()));
        EXPECT_EQ(back.wanted(v, 4).size(), own.wanted(v, 4).size());
        EXPECT_TRUE(back.wanted(v, 4).covers(own.wanted(v, 4).blocks()));
    }
    EXPECT_THROW((void)collective_of(*file.own, *make_topology("line:5"), 8), RequestError);
}

TEST(ScheduleFile, KeepsFoldsOfOnesOwnAsTheLinesOfTheirPromise) {
    const auto line = make_topology("line:3");
    OwnCollective sums{.name = "sums", .packets = 2, .owned = [](NodeId v) {
                           return PacketSet(PacketBlock{static_cast<std::uint32_t>(v), 1, 1, 0, 1, 2});
                       }};
    sums.folds = std::make_shared<const OwnFolds>(std::vector<TakenFold>{{2, 1, PacketSet::range(0, 2), true}});
    std::ostringstream out;
    write_schedule(out, Schedule(), *line, Collective::custom(sums));
    const ScheduleFile file = read(out.str());
    ASSERT_TRUE(file.own);
    EXPECT_EQ(file.own->promise, "segments 2\ngives 0-2: 0..1\ntakes 2: 1 of 0,1 in order\n");
    const Collective back = collective_of(*file.own, *line, 8);
    ASSERT_NE(back.own_folds(), nullptr);
    EXPECT_EQ(name(back.operation), "sums");
    EXPECT_TRUE(back.own_folds()->takes_in_order(2, 1));
    EXPECT_EQ(back.owned(1, 3).size(), 2U);
    for (const char* lines :
         {"packets 1\nowns 0: 0\n", "segments 1\ntakes 0: 0 of 1\n", "segments 1\ngives 3: 0\n", "x"}) {
        ToldCollective wrong = *file.own;
        wrong.promise = lines;
        EXPECT_THROW((void)collective_of(wrong, *line, 8), RequestError) << lines;
    }
}

TEST(ScheduleFile, SaysThatNothingIsPromised) {
    std::ostringstream out;
    write_schedule(out, Schedule(), *make_topology("line:3"), Collective::none());
    EXPECT_EQ(read(out.str()).operation, Operation::none);
}

TEST(ScheduleFile, RefusesAMalformedCollectiveOfOnesOwnByItsPlace) {
    const auto with = [](const std::string& members) { return refusal("{\"own\": {" + members + "}}"); };
    EXPECT_EQ(refusal(R"({"own": 1})"), "own: 1; want an object: name, packets, owned, wanted");
    EXPECT_EQ(refusal(R"({"own": []})"), "own: an array; want an object: name, packets, owned, wanted");
    EXPECT_EQ(with(""), "own has no member 'name'");
    EXPECT_EQ(
        with(R"("names": 1)"),
        "own has a member 'names'; did you mean 'name'? (name, packets, owned, wanted, noun, sizes, relays, promise)");
    EXPECT_EQ(with(R"("name": 1)"), "own.name: 1; want words in quotes, such as \"shift\"");
    EXPECT_EQ(with(R"("sizes": [8, 8])"),
              "own.sizes: an array; want bytes of each packet in quotes, such as \"64,1000\"");
    EXPECT_EQ(with(R"("relays": 3)"), "own.relays: 3; want nodes in quotes, such as \"1,4-6\"");
    EXPECT_EQ(with(R"("promise": 3)"), "own.promise: 3; want lines of a promise of segments in quotes");
    EXPECT_THAT(with(R"("name": "sums", "promise": "segments 1", "packets": 2)"),
                HasSubstr("has a promise beside packets"));
    EXPECT_THAT(with(R"("sizes": "8,x")"), HasSubstr("own.sizes 'x' is not a whole number"));
    EXPECT_EQ(with(R"("packets": 0)"), "own.packets is 0; want at least 1");
    EXPECT_EQ(with(R"("packets": 4294967295)"), "own.packets: 4294967295; want at most 4294967294");
    EXPECT_EQ(with(R"("packets": [])"), "own.packets: an array; want a whole number");
    EXPECT_EQ(with(R"("owned": 1)"), "own.owned: 1; want an array: a list of packets for each node");
    EXPECT_EQ(with(R"("owned": [[0], 1])"), "own.owned[1]: 1; want an array: the packets of a node");
    EXPECT_EQ(with(R"("wanted": [[0], [1, "2"]])"), "own.wanted[1][1]: '2'; want a packet number or a run of packets");
    EXPECT_EQ(with(R"("wanted": [[{"first": 0, "stride": 0}]])"), "own.wanted[0][0].stride is 0; want at least 1");
    EXPECT_EQ(with(R"("name": "a", "packets": 1, "owned": [[0]], "wanted": [])"),
              "own lists what 1 nodes own and what 0 must hold; want as many");
    for (const std::string known : {"broadcast", "none"})
        EXPECT_EQ(with(R"("name": ")" + known + R"(", "packets": 1, "owned": [[0]], "wanted": [[0]])"),
                  "own.name is '" + known + "', an operation that kport knows; want a name of its own");
}

TEST(ScheduleFile, RefusesAMalformedTransferByItsPlace) {
    EXPECT_EQ(refusal(file_of("7")), "transfers[0]: 7; want an object");
    EXPECT_EQ(refusal(file_of("[]")), "transfers[0]: an array; want an object");
    EXPECT_EQ(refusal(file_of("{}")), "transfers[0] has no member 'round'");
    EXPECT_EQ(refusal(file_of(R"({"round": 1, "from": 0, "to": 1, "route": [1]})")),
              "transfers[0] has no member 'packets'");
    EXPECT_EQ(refusal(file_of(R"({"round": 1, "round": 1})")), "transfers[0] has two members 'round'");
    EXPECT_EQ(refusal(file_of(R"({"rounds": 1})")),
              "transfers[0] has a member 'rounds'; did you mean 'round'? (round, from, to, route, packets)");
    const std::vector<std::array<std::string, 3>> wrong = {
        {"round", "0", " is 0; rounds count from 1"},
        {"round", "4294967296", ": 4294967296; want at most 4294967295"},
        {"round", "-1", ": -1; want a whole number"},
        {"round", "1.0", ": '1.0'; want a whole number"},
        {"round", "[1]", ": an array; want a whole number"},
        {"from", "true", ": true; want a whole number"},
        {"to", "1099511627776", ": 1099511627776; want at most 1099511627775"},
        {"to", "18446744073709551616", ": '18446744073709551616'; want a whole number"},
        {"to", "{}", ": an object; want a whole number"},
        {"route", "1", ": 1; want an array"},
        {"route", "[]", " is empty; want at least one"},
        {"route", "[1, -2]", "[1]: -2; want a whole number"},
        {"route", "[4294967295]", "[0]: 4294967295; want at most 4294967294"},
        {"route", "[[1]]", "[0]: an array; want a whole number"},
        {"packets", "0", ": 0; want an array"},
        {"packets", "[]", " is empty; want at least one"},
        {"packets", "[\"0\"]", "[0]: '0'; want a packet number or a run of packets"},
        {"packets", "[[0]]", "[0]: an array; want a packet number or a run of packets"},
        {"packets", R"([{"first": 0, "stride": 1000, "count": 4294969}])", "[0] names packets beyond 32 bits"},
        {"packets", "[0, {}]", "[1] has no member 'first'"},
        {"packets", R"([{"first": 0, "stride": 1}])", "[0] has no member 'count'"},
        {"packets", R"([{"first": 0, "stride": 0}])", "[0].stride is 0; want at least 1"},
        {"packets", R"([{"count": 0}])", "[0].count is 0; want at least 1"},
        {"packets", R"([{"count": null}])", "[0].count: null; want a whole number"},
        {"packets", R"([{"first": 9, "stride": 4294967296, "count": 3}])",
         "[0].stride: 4294967296; want at most 4294967295"},
        {"packets", R"([{"first": 9, "stride": 2147483648, "count": 3}])", "[0] names packets beyond 32 bits"},
        {"packets", R"([{"first": 0, "stride": 1, "count": 1, "row": 9, "row_stride": 2147483648, "rows": 3}])",
         "[0] names packets beyond 32 bits"},
        {"packets", R"([{"first": 4294967295, "stride": 1, "count": 2}])", "[0] names packets beyond 32 bits"},
        {"packets", "[4294967296]", "[0]: 4294967296; want at most 4294967295"},
        {"packets", R"([{"first": 0, "stride": 1, "count": 1, "rows": 0}])", "[0].rows is 0; want at least 1"},
    };
    for (const auto& [member, value, why] : wrong)
        EXPECT_EQ(refusal(file_with(member, value)), "transfers[0]." + member + why);
    EXPECT_EQ(refusal(file_with("packets", R"([{"first": 0, "stride": 1, "count": 1, "row": 0}])")), "accepted");
    EXPECT_EQ(refusal(file_with("packets", R"([{"first": 1, "count": 2, "stride": 1}, 0])")), "accepted");
    EXPECT_EQ(refusal(file_with("packets", R"([{"first": 0, "stride": 1000, "count": 4294968}])")), "accepted");
    EXPECT_EQ(refusal(file_with("packets", R"([{"first": 4294967295, "stride": 1, "count": 1}])")), "accepted");
}

TEST(ScheduleFile, RefusesRoundsThatGoBack) {
    const std::string later = R"({"round":3,"from":0,"to":1,"route":[1],"packets":[0]})";
    const std::string earlier = R"({"round":2,"from":0,"to":1,"route":[1],"packets":[0]})";
    EXPECT_EQ(refusal(file_of(earlier + "," + later)), "accepted");
    EXPECT_EQ(refusal(file_of(later + "," + earlier)),
              "transfers[1] is in round 2 after one in round 3; rounds do not go back");
}

/// What is read of a text, or why it is refused, but for columns and what the parser read last.
std::string outcome_of(const std::string& text) {
    const std::string why = refusal(text);
    if (why != "accepted") return std::regex_replace(why, std::regex("column [0-9]+|; last read.*"), "");
    return written(read(text).schedule, *make_topology("complete:9"));
}

/// Lines as write_schedule() writes them have a way of their own; with a blank before them they go the parser's.
TEST(ScheduleFile, IsReadAlikeHoweverItsLinesAreWritten) {
    const std::string usual = R"({"round":2,"from":0,"to":1,"route":[1],"packets":[0]})";
    std::vector<std::string> lines = {usual,
                                      usual + " ",
                                      usual + "]",
                                      usual + "}",
                                      usual + "," + usual,
                                      "",
                                      "x",
                                      "]",
                                      "{",
                                      "\"" + usual,
                                      usual.substr(0, usual.size() - 1),
                                      R"({"from":0,"round":2,"to":1,"route":[1],"packets":[0]})",
                                      R"({"round":2,"round":2,"from":0,"to":1,"route":[1],"packets":[0]})",
                                      R"({"round":2,"from":0,"to":1,"route":[1]})"};
    const auto with = [&](const std::string& member, const std::vector<std::string>& values) {
        const std::size_t at = usual.find("\"" + member + "\":") + member.size() + 3;
        const std::size_t end = usual[at] == '[' ? usual.find(']', at) + 1 : usual.find_first_of(",}", at);
        for (const std::string& value : values) lines.push_back(usual.substr(0, at) + value + usual.substr(end));
    };
    const std::vector<std::string> numbers = {"0",
                                              "3",
                                              "01",
                                              "-1",
                                              "+1",
                                              "1.0",
                                              "1e1",
                                              "",
                                              "\"1\"",
                                              "nul",
                                              "[1]",
                                              "4294967295",
                                              "4294967296",
                                              "1099511627775",
                                              "1099511627776",
                                              "18446744073709551615",
                                              "18446744073709551616"};
    std::vector<std::string> lists = {"[]", "[1,2]", "[1,]", "[,1]", "[1 ,2]", "[1", "1]", "{}", "1"};
    for (const std::string& number : numbers) lists.push_back("[" + number + "]");
    for (const char* member : {"round", "from", "to"}) with(member, numbers);
    with("route", lists);
    for (const char* name : {"first", "stride", "count", "row", "row_stride", "rows"})
        for (const std::string& number : numbers) {
            std::string run = R"({"first":1,"stride":1,"count":2,"row":1,"row_stride":1,"rows":1})";
            const std::size_t at = run.find(std::string("\"") + name + "\":") + std::string(name).size() + 3;
            lists.push_back("[0," + run.replace(at, 1, number) + "]");
        }
    lists.emplace_back(R"([{"first":4294967295,"stride":1,"count":2}])");
    lists.emplace_back(R"([{"first":1,"stride":1,"count":2}])");
    lists.emplace_back(R"([{"first":1,"stride":1,"count":2,"row":4294967295,"row_stride":1,"rows":2}])");
    lists.emplace_back(R"([{"first":1,"stride":1}])");
    lists.emplace_back(R"([{"first":1,"stride":1,"count":2,"row":1}])");
    with("packets", lists);
    for (const std::string& line : lines)
        for (const char* between : {",\n", "\n", ",,\n", ", \n", ",\r\n", ",\n\n", ",\n]}\n"})
            for (const std::size_t place : {0U, 1U, 3U}) {
                const auto text = [&](const std::string& blank) {
                    std::string all = "\n";
                    for (std::size_t i = 0; i < 4; ++i)
                        all += blank + (i == place ? line + between : usual + (i == 3 ? "\n" : ",\n"));
                    return file_of(all);
                };
                ASSERT_EQ(outcome_of(text("")), outcome_of(text(" "))) << text("");
            }
}

TEST(ScheduleFile, KeepsTheNumbersOfLinesBehindThoseThatAreTaken) {
    std::string lines = "\n";
    for (int i = 0; i < 5000; ++i) lines += "{\"round\":1,\"from\":0,\"to\":1,\"route\":[1],\"packets\":[0]},\n";
    EXPECT_THAT(refusal(file_of(lines + "{]")), StartsWith("parse error at line 5002, column 2"));
    EXPECT_THAT(refusal(file_of(lines + "x")), AllOf(StartsWith("parse error at line 5002"), EndsWith("x'")));
    EXPECT_THAT(refusal(file_of(lines + "{}")), StartsWith("transfers[5000] has no member 'round'"));
    const std::string last = lines.substr(1, lines.find('\n', 1) - 2);
    EXPECT_EQ(read(file_of(lines + last)).schedule.size(), 5001U);
    EXPECT_EQ(read(file_of(std::string(300'000, ' ') + lines + last)).schedule.size(), 5001U);
}

TEST(ScheduleFile, RefusesADeepNesting) {
    EXPECT_EQ(refusal(std::string(1'000'000, '[')), "the file: an array; want one JSON object");
    EXPECT_EQ(refusal(file_with("route", std::string(1'000'000, '['))),
              "transfers[0].route[0]: an array; want a whole number");
}

TEST(ScheduleFile, RefusesAStreamThatCannotBeRead) {
    const auto refused = [](std::istream& in) -> std::string {
        try {
            (void)read_schedule(in, "x.json");
        } catch (const RequestError& error) {
            return error.what();
        }
        return "accepted";
    };
    std::istringstream bad(file_of(""));
    bad.setstate(std::ios::badbit);
    std::ifstream none("no such file");
    std::ifstream folder("/");
    for (std::istream* in :
         {static_cast<std::istream*>(&bad), static_cast<std::istream*>(&none), static_cast<std::istream*>(&folder)})
        EXPECT_EQ(refused(*in), "schedule 'x.json' cannot be read");
}

TEST(ScheduleFile, NamesTheFile) {
    std::istringstream in("[]");
    try {
        (void)read_schedule(in, "some\nfile");
        FAIL();
    } catch (const RequestError& error) {
        EXPECT_THAT(error.what(), EndsWith("the file: an array; want one JSON object"));
        EXPECT_THAT(error.what(), StartsWith("schedule 'some?file': "));
    }
}

// ----------------------------------------------------------------------------------------------------------- properties

/// Any progression of numbers below 2^32.
Progression any_columns() {
    const auto first = *rc::gen::inRange<std::uint64_t>(0, std::uint64_t{1} << 32);
    const auto stride = *rc::gen::inRange<std::uint64_t>(1, std::uint64_t{1} << 20);
    const std::uint64_t count_max = ((std::uint64_t{1} << 32) - 1 - first) / stride + 1;
    return {static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(stride),
            static_cast<std::uint32_t>(*rc::gen::inRange<std::uint64_t>(1, count_max + 1))};
}

/// Any schedule that a file can hold, lawful or not.
Schedule any_schedule() {
    const auto below = [](std::uint64_t n) { return *rc::gen::inRange<std::uint64_t>(0, n); };
    Schedule any;
    for (std::uint64_t left = below(12); left > 0; --left) {
        std::vector<Port> route;
        std::vector<PacketBlock> packets;
        for (std::uint64_t hops = 1 + below(4); hops > 0; --hops) route.push_back(static_cast<Port>(below(no_port)));
        for (std::uint64_t runs = 1 + below(3); runs > 0; --runs)
            packets.push_back(block_of(below(2) == 0 ? Progression{} : any_columns(), any_columns()));
        const Round round = std::max<Round>(1, any.rounds()) + static_cast<Round>(below(3));
        any.add(round, {below(nodes_max), below(nodes_max), route, packets});
    }
    return any;
}

RC_GTEST_PROP(ScheduleFile, ReadsWhatWasWritten, ()) {
    const auto topology = make_topology("torus:3x4");
    const Schedule any = any_schedule();
    // A run of one packet is written as its number; its stride is meaningless.
    const ScheduleFile file = read(written(any, *topology));
    RC_ASSERT(file.topology == "torus:3x4");
    RC_ASSERT(written(file.schedule, *topology) == written(any, *topology));
    RC_ASSERT(file.schedule.size() == any.size());
}

RC_GTEST_PROP(ScheduleFile, OfAnySpoiledTextIsReadOrRefused, ()) {
    std::string text = written(any_schedule(), *make_topology("ring:5"));
    const auto spoils = *rc::gen::inRange(1, 6);
    for (int i = 0; i < spoils; ++i) {
        const auto at = *rc::gen::inRange<std::size_t>(0, text.size());
        const auto with = *rc::gen::element<std::string>("", "-", "0", "9", "99999999999", "\"", "[", "]", "{", "}",
                                                         ",", ":", ".5", "e9", "null", "\xff", "\\u0000", "\n");
        text.replace(at, *rc::gen::inRange<std::size_t>(0, 4), with);
        if (text.empty()) text = " ";
    }
    try {
        (void)read(text);
    } catch (const RequestError& error) {
        RC_ASSERT(std::string(error.what()).find('\n') == std::string::npos);
    }
}

}  // namespace
}  // namespace kport
