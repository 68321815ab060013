/// @file repair_test.cpp   Repairs of broken MSCCL and GOAL files: found, judged again, and written as a patch that patch takes.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/files/edited_text.hpp"
#include "app/files/repair.hpp"
#include "app/files/schedule_forms.hpp"
#include "tests/support/own_folder.hpp"

namespace kport::repairs {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

std::string file_text(const std::filesystem::path& path) {
    std::ifstream in(path);
    return {std::istreambuf_iterator<char>(in), {}};
}
std::string sample(const std::string& name) { return file_text("tests/files/foreign/" + name); }

JudgedText judged(const std::string& text, const std::string& operation = "") {
    ScheduleContext context;
    if (!operation.empty()) context.operation = operation_or_none_named(operation);
    std::istringstream in(text);
    const ForeignJudgement judgement = read_any_schedule(in, "x", context).told.judgement;
    return {judgement.findings.empty() && judgement.not_judged.empty(), judgement.findings};
}

FoundRepair repaired(const std::string& text, const std::string& operation = "") {
    return repair_text(text, "x", [&](const std::string& edited) { return judged(edited, operation); });
}

/// The text after `patch`, which must take every hunk where it says.
std::string patched(const std::string& text, const std::string& patch) {
    const std::filesystem::path folder = test::own_folder();
    std::ofstream(folder / "x") << text;
    std::ofstream(folder / "x.patch") << patch;
    const std::string command = fmt::format("cd {} && patch -p0 --fuzz=0 <x.patch >said 2>&1", folder.string());
    const int status = std::system(command.c_str());  // NOLINT(cert-env33-c): a program of the system
    EXPECT_EQ(status, 0) << file_text(folder / "said") << patch;
    EXPECT_THAT(file_text(folder / "said"), testing::Not(HasSubstr("offset"))) << patch;
    std::string result = file_text(folder / "x");
    std::filesystem::remove_all(folder);
    return result;
}

/// A broken text whose repair has so many changes, and is lawful when it is patched.
FoundRepair expect_repaired(const std::string& text, std::size_t changes, const std::string& operation = "") {
    EXPECT_FALSE(judged(text, operation).lawful);
    const FoundRepair repair = repaired(text, operation);
    EXPECT_THAT(repair.changes, SizeIs(changes)) << testing::PrintToString(repair.changes);
    EXPECT_TRUE(judged(patched(text, repair.patch), operation).lawful) << repair.patch;
    return repair;
}

std::string replaced(std::string text, const std::string& what, const std::string& by) {
    for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size())
        text.replace(at, what.size(), by);
    return text;
}

TEST(Repair, AddsTheDependenceThatEndsARace) {
    const FoundRepair repair = expect_repaired(sample("msccl-bc3-hidden-race.xml"), 1);
    EXPECT_THAT(repair.changes,
                ElementsAre("GPU 1: depid=\"0\" deps=\"1\" at block 1 step 1 and hasdep=\"1\" at block 0 step 1"));
    EXPECT_EQ(repair.patch, R"(--- x
+++ x
@@ -8,11 +8,11 @@
   <gpu id="1" i_chunks="2" o_chunks="2" s_chunks="0">
     <tb id="0" send="-1" recv="0" chan="0">
       <step s="0" type="r" srcbuf="i" srcoff="0" dstbuf="i" dstoff="0" cnt="1" depid="-1" deps="-1" hasdep="1"/>
-      <step s="1" type="r" srcbuf="i" srcoff="1" dstbuf="i" dstoff="1" cnt="1" depid="-1" deps="-1" hasdep="0"/>
+      <step s="1" type="r" srcbuf="i" srcoff="1" dstbuf="i" dstoff="1" cnt="1" depid="-1" deps="-1" hasdep="1"/>
     </tb>
     <tb id="1" send="2" recv="-1" chan="0">
       <step s="0" type="s" srcbuf="i" srcoff="0" dstbuf="i" dstoff="0" cnt="1" depid="0" deps="0" hasdep="0"/>
-      <step s="1" type="s" srcbuf="i" srcoff="1" dstbuf="i" dstoff="1" cnt="1" depid="-1" deps="-1" hasdep="0"/>
+      <step s="1" type="s" srcbuf="i" srcoff="1" dstbuf="i" dstoff="1" cnt="1" depid="0" deps="1" hasdep="0"/>
     </tb>
   </gpu>
   <gpu id="2" i_chunks="2" o_chunks="2" s_chunks="0">
)");
}

TEST(Repair, LetsAReceiveWaitForTheSendOfTheSlotThatItOverwrites) {
    expect_repaired(sample("msccl-bc3-scratch-reused.xml"), 1);
}

TEST(Repair, TakesAChangeForEachGpu) { expect_repaired(sample("msccl-ar4-doubling-race.xml"), 4); }

TEST(Repair, LeavesOutChangesAndEditsThatOthersMadeNeedless) {
    const FoundRepair orders = expect_repaired(sample("goal-barrier4-needless.goal"), 1, "barrier");
    EXPECT_THAT(orders.changes, ElementsAre("rank 2: l0 requires l2"));
    const FoundRepair told = expect_repaired(sample("msccl-told-later.xml"), 1);
    EXPECT_THAT(told.changes.front(), testing::Not(HasSubstr("hasdep"))) << "a later step tells it already";
}

TEST(Repair, LetsAStepPublishItsEndWhereADependenceWaitsForEver) {
    EXPECT_THAT(expect_repaired(sample("msccl-bc3-never-told.xml"), 1).changes,
                ElementsAre("GPU 1: hasdep=\"1\" at block 0 step 1"));
    // As the sample is, the packet comes back to its owner: nothing but the order can be right.
    EXPECT_EQ(expect_repaired(sample("msccl-bc3-told-too-late.xml"), 2, "none").changes.front(),
              "GPU 1: hasdep=\"1\" at block 0 step 0");
    EXPECT_THAT(repaired(sample("msccl-bc3-told-too-late.xml")).changes, IsEmpty());
}

TEST(Repair, CopiesTheOwnBlockInABlockOfItsOwn) {
    const FoundRepair repair = expect_repaired(sample("msccl-bc3-root-output.xml"), 1);
    EXPECT_THAT(repair.patch, HasSubstr(R"(+    <tb id="2" send="-1" recv="-1" chan="0">
+      <step s="0" type="cpy" srcbuf="i" srcoff="0" dstbuf="o" dstoff="0" cnt="1" depid="-1" deps="-1" hasdep="0"/>
+    </tb>
   </gpu>
)"));
    expect_repaired(sample("msccl-ag3-own-missing.xml"), 3);
    expect_repaired(sample("msccl-ag3-copy-element-relied-on.xml"), 3);
}

TEST(Repair, CopiesWhatWasLeftInScratchAtTheEndOfTheBlockThatLeftIt) {
    const FoundRepair repair = expect_repaired(sample("msccl-ag3-into-scratch.xml"), 2);
    EXPECT_THAT(repair.changes, testing::Each(HasSubstr("at the end of block")));
}

TEST(Repair, OrdersACopyThatIsUsedInPlaceAsWell) {
    expect_repaired(replaced(sample("msccl-bc3-root-output.xml"), "inplace=\"0\"", "inplace=\"1\" outofplace=\"1\""),
                    3);
}

/// GPU 1 receives chunks by two blocks; the block that sends both waits for one of them only.
constexpr const char* waits_for_one =
    R"(<algo name="t" proto="Simple" nchannels="2" nchunksperloop="2" ngpus="3" coll="broadcast" inplace="1">
<gpu id="0" i_chunks="2" o_chunks="2" s_chunks="0">
<tb id="0" send="1" recv="-1" chan="0">
<step s="0" type="s" srcbuf="i" srcoff="0" dstbuf="i" dstoff="0" cnt="1" depid="-1" deps="-1" hasdep="0"/>
</tb>
<tb id="1" send="1" recv="-1" chan="1">
<step s="0" type="s" srcbuf="i" srcoff="1" dstbuf="i" dstoff="1" cnt="1" depid="-1" deps="-1" hasdep="0"/>
</tb>
</gpu>
<gpu id="1" i_chunks="2" o_chunks="2" s_chunks="0">
<tb id="0" send="-1" recv="0" chan="0">
<step s="0" type="r" srcbuf="i" srcoff="0" dstbuf="i" dstoff="0" cnt="1" depid="-1" deps="-1" hasdep="1"/>
</tb>
<tb id="1" send="-1" recv="0" chan="1">
<step s="0" type="r" srcbuf="i" srcoff="1" dstbuf="i" dstoff="1" cnt="1" depid="-1" deps="-1" hasdep="0"/>
</tb>
<tb id="2" send="2" recv="-1" chan="0">
<step s="0" type="s" srcbuf="i" srcoff="0" dstbuf="i" dstoff="0" cnt="2" depid="0" deps="0" hasdep="0"/>
</tb>
</gpu>
<gpu id="2" i_chunks="2" o_chunks="2" s_chunks="0">
<tb id="0" send="-1" recv="1" chan="0">
<step s="0" type="r" srcbuf="i" srcoff="0" dstbuf="i" dstoff="0" cnt="2" depid="-1" deps="-1" hasdep="0"/>
</tb>
</gpu>
</algo>
)";

TEST(Repair, AddsANopWhereAStepWaitsAlreadyAndRenumbersTheBlock) {
    const FoundRepair repair = expect_repaired(waits_for_one, 1);
    EXPECT_THAT(repair.patch, HasSubstr(R"(
+<step s="0" type="nop" srcbuf="i" srcoff="-1" dstbuf="o" dstoff="-1" cnt="0" depid="1" deps="0" hasdep="0"/>
+<step s="1" type="s" srcbuf="i" srcoff="0" dstbuf="i" dstoff="0" cnt="2" depid="0" deps="0" hasdep="0"/>
)"));
}

TEST(Repair, KeepsAFilesOwnEndsOfLinesAndWorksWithinALine) {
    const std::string text = waits_for_one;
    expect_repaired(replaced(text, "\n", "\r\n"), 1);
    expect_repaired(replaced(text, "\n", ""), 1);
    expect_repaired(replaced(text, " deps=", "\n  deps = "), 1);
    expect_repaired(replaced(text, "<gpu", "<!-- \u00e9 --> <gpu"), 1);
    expect_repaired(replaced(replaced(text, "\n", ""), "<step", "<!-- \u00e9 --><step"), 1);
    expect_repaired(replaced(text, "\"", "'"), 1);
}

TEST(Repair, AddsTheLinesThatGoalRequires) {
    EXPECT_THAT(expect_repaired(sample("goal-reduce4-late.goal"), 1, "reduce").changes,
                ElementsAre("rank 2: l5 requires l4"));
    EXPECT_THAT(expect_repaired(sample("goal-bc8-irequires.goal"), 4, "broadcast").patch,
                HasSubstr("\n l6 irequires l5\n"));
    expect_repaired(sample("goal-barrier8-last-only.goal"), 8, "barrier");
}

TEST(Repair, IsNoneWhereNoneIsSuggestedOrAFileIsRefused) {
    for (const char* name : {"msccl-ar2-never-folded.xml", "msccl-bc2-count.xml", "msccl-ag3-slots-swapped.xml",
                             "msccl-bc3-dependence-circle.xml", "msccl-ag4-ring-receive-first.xml"}) {
        const FoundRepair repair = repaired(sample(name));
        EXPECT_THAT(repair.changes, IsEmpty()) << name;
        EXPECT_EQ(repair.patch, "") << name;
        EXPECT_TRUE(repair.searched_all) << name;
    }
    EXPECT_THAT(repaired(sample("msccl-bc3-no-such-block.xml")).changes, IsEmpty());
}

TEST(Repair, OfALawfulTextChangesNothing) {
    const FoundRepair repair = repaired(sample("msccl-bc3-chain.xml"));
    EXPECT_THAT(repair.changes, IsEmpty());
    EXPECT_EQ(repair.patch, "");
}

/// A judge that suggests the same line whatever it is given.
FoundRepair search_with(bool lawful_after_two_lines) {
    return repair_text("a\nb\n", "x", [&](const std::string& text) {
        const bool is_lawful = lawful_after_two_lines && text == "a\nwait\nwait\nb\n";
        FoundFault fault{ScheduleFault::race, "", {{"", "wait", {{2, 1, {}, "wait\n"}}}}};
        return is_lawful ? JudgedText{true} : JudgedText{false, {fault}};
    });
}

TEST(Repair, IsOnlyWhatTheJudgeFoundLawfulNotWhatAFaultSuggests) {
    EXPECT_EQ(search_with(true).patch, "--- x\n+++ x\n@@ -1,2 +1,4 @@\n a\n+wait\n+wait\n b\n");
    EXPECT_THAT(search_with(false).changes, IsEmpty());
    EXPECT_EQ(search_with(false).patch, "");
}

TEST(Repair, DoesNotTradeARaceForADeadlock) {
    // Each GPU's receive would have to come before its send, and the messages go round.
    const std::string text = replaced(sample("msccl-ag4-ring-receive-first.xml"), "hasdep=\"0\"", "hasdep=\"1\"");
    EXPECT_THAT(repaired(text).changes, IsEmpty());
}

TEST(Repair, EndsAtALimitOfWork) {
    // Every change brings two new ways, none of which is lawful.
    std::size_t tries = 0;
    const FoundRepair repair = repair_text("a\n", "x", [&](const std::string&) {
        ++tries;
        FoundFault fault{ScheduleFault::race, "", {}};
        for (int i = 0; i < 8; ++i) fault.repairs.push_back({"", "x", {{1, 1, {}, fmt::format("{}\n", i)}}});
        return JudgedText{false, {fault}};
    });
    EXPECT_FALSE(repair.searched_all);
    EXPECT_THAT(repair.changes, IsEmpty());
    EXPECT_EQ(tries, repair_tries_max);
}

Repair edits(std::vector<TextEdit> all) { return {"", "", std::move(all)}; }

TEST(EditedText, RefusesPlacesAndAttributesThatAreNotThere) {
    const std::string text = "<a b=\"1\"/>\n";
    EXPECT_FALSE(EditedText(text).apply(edits({{0, 1, "b", "2"}})));
    EXPECT_FALSE(EditedText(text).apply(edits({{2, 1, "b", "2"}})));
    EXPECT_FALSE(EditedText(text).apply(edits({{1, 99, "b", "2"}})));
    EXPECT_FALSE(EditedText(text).apply(edits({{1, 1, "c", "2"}})));
    EXPECT_FALSE(EditedText("<a b=\"1").apply(edits({{1, 1, "b", "2"}})));
    EXPECT_FALSE(EditedText("").apply(edits({{1, 1, "b", "2"}})));
    EXPECT_TRUE(EditedText(text).apply(edits({{1, 1, "b", "2"}})));
}

TEST(EditedText, HasHunksOfTheirOwnFarFromEachOtherAndSaysWhereTheLastLineHasNoEnd) {
    std::string text;
    for (int i = 1; i <= 20; ++i) text += fmt::format("<a b=\"{}\"/>\n", i);
    text.pop_back();
    EditedText edited(text);
    ASSERT_TRUE(edited.apply(edits({{2, 1, "b", "x"}, {4, 1, {}, "new\n"}, {20, 1, "b", "y"}})));
    EXPECT_EQ(edited.patch("x"), R"(--- x
+++ x
@@ -1,6 +1,7 @@
 <a b="1"/>
-<a b="2"/>
+<a b="x"/>
 <a b="3"/>
+new
 <a b="4"/>
 <a b="5"/>
 <a b="6"/>
@@ -17,4 +18,4 @@
 <a b="17"/>
 <a b="18"/>
 <a b="19"/>
-<a b="20"/>
\ No newline at end of file
+<a b="y"/>
\ No newline at end of file
)");
    EXPECT_EQ(patched(text, edited.patch("x")), edited.text());
    EXPECT_EQ(EditedText(text).patch("x"), "");
}

}  // namespace
}  // namespace kport::repairs
