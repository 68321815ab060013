/// @file damaged_test.cpp   A thousand schedules with one wrong letter, in every form: each is refused with its place, or judged.
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "algorithms/run_algorithm.hpp"
#include "app/files/schedule_forms.hpp"
#include "emulator/audit/audit_schedule.hpp"
#include "emulator/base/error.hpp"
#include "emulator/base/random.hpp"
#include "tests/support/sanitizers.hpp"

namespace kport {
namespace {

/// A scatter on a cube, in this form; an allgather where the form has no scatter.
std::string valid(const ScheduleForm& form) {
    if (form.write == nullptr)
        return R"({"msccl_type":"algorithm","name":"x","collective":{"msccl_type":"collective","nodes":2,"chunks":[)"
               "\n"
               R"({"msccl_type":"chunk","pre":[0],"post":[0,1],"addr":0},)"
               "\n"
               R"({"msccl_type":"chunk","pre":[1],"post":[0,1],"addr":1}]},)"
               "\n"
               R"("steps":[{"msccl_type":"step","rounds":1,"sends":[[0,0,1],[1,1,0]]}],"topology":{"links":[[0,1],[1,0]]}})"
               "\n";
    ToldSchedule told;
    told.topology = make_topology("hypercube:3");
    const bool has_scatter = form.name != "mscclpp";
    told.collective = has_scatter ? Collective::scatter(0, 64) : Collective::of(Operation::allgather, 0, 64);
    Machine machine;
    machine.topology = told.topology;
    RunOptions options;
    options.recorded_schedule = &told.schedule;
    (void)run_algorithm(algorithm_named(has_scatter ? "sbt" : "exchange", machine, told.collective, {}), machine,
                        told.collective, {}, {}, options);
    std::ostringstream out;
    form.write(out, told);
    return out.str();
}

/// Whether the message says where: a line, a member of a JSON file, or the file as a whole.
bool names_a_place(const std::string& why) {
    if (!why.starts_with("schedule 'x'")) return false;
    for (const char* place :
         {"line ", "transfers", "silent_rounds", "steps", "collective", "operation:", "root:", "topology",
          "kport_schedule:", "gpus", "kport: ", "the file", " ranks", "rank ", "in no known form", "says "})
        if (why.find(place) != std::string::npos) return true;
    return false;
}

class Damaged : public testing::TestWithParam<std::string_view> {};

TEST_P(Damaged, IsRefusedWithThePlaceOrJudged) {
    const ScheduleForm& form = schedule_form_named(GetParam());
    const std::string whole = valid(form);
    const std::string letters = "0123456789abcxyz,;:.{}[]()<>\"'-# \n\t/=";
    constexpr int cases = test::under_sanitizer ? 100 : 1000;
    int refused = 0;
    int broken = 0;
    for (std::uint64_t i = 0; i < cases; ++i) {
        Dice dice(random_word(1, i, 0));
        std::string text = whole;
        const auto at = static_cast<std::size_t>(dice.below(text.size()));
        const char letter = letters[static_cast<std::size_t>(dice.below(letters.size()))];
        switch (dice.below(3)) {
            case 0: text[at] = letter; break;
            case 1: text.insert(at, 1, letter); break;
            default: text.erase(at, 1);
        }
        SCOPED_TRACE("case " + std::to_string(i) + ", at " + std::to_string(at) + ":\n" + text);
        std::istringstream in(text);
        const auto note = [&](const std::string& why, bool has_place) {
            ++refused;
            EXPECT_EQ(why.find('\n'), std::string::npos) << why;
            EXPECT_TRUE(has_place) << why;
        };
        ToldSchedule told;
        try {
            told = read_any_schedule(in, "x", {}).told;
        } catch (const RequestError& error) {
            note(error.what(), names_a_place(error.what()));
            continue;
        } catch (const DoesNotFit& error) {
            note(error.what(), true);
            continue;
        }
        Machine machine;
        machine.topology = told.topology;
        try {
            broken += audit(told.schedule, machine, told.collective, false).lawful() ? 0 : 1;
        } catch (const RequestError& error) {
            note(error.what(), std::string(error.what()).starts_with("transfers["));
        } catch (const DoesNotFit& error) {
            note(error.what(), true);
        }
    }
    EXPECT_GT(refused, cases / 4);
    EXPECT_LT(refused + broken, cases) << "some letters say nothing";
}

INSTANTIATE_TEST_SUITE_P(InEachForm, Damaged,
                         testing::Values("json", "text", "csv", "goal", "msccl", "mscclpp", "sccl", "simgrid"),
                         [](const auto& form) { return std::string(form.param); });

}  // namespace
}  // namespace kport
