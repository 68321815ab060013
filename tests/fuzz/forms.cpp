#include <sstream>
#include <string>

#include "app/files/schedule_forms.hpp"
#include "emulator/audit/audit_schedule.hpp"
#include "emulator/base/error.hpp"
#include "tests/fuzz/targets.hpp"

namespace kport::fuzz {

namespace {

/// Machines larger than this cost time and test nothing new.
constexpr NodeId forms_nodes_max = 512;

ToldSchedule told_by(const std::string& text) {
    std::istringstream in(text);
    return read_any_schedule(in, "fuzzed", {}).told;
}

/// Nothing where the form cannot say it.
std::string written_as(const ScheduleForm& form, const ToldSchedule& told) {
    std::ostringstream out;
    try {
        form.write(out, told);
    } catch (const RequestError&) {
        return {};
    }
    return out.str();
}

}  // namespace

/// A schedule in whatever form its beginning shows.
void forms(std::string_view text) {
    const ToldSchedule told = told_by(std::string(text));
    if (told.topology->nodes() > forms_nodes_max) return;
    Machine machine;
    machine.topology = told.topology;
    const Verdict verdict = audit(told.schedule, machine, told.collective, false);
    expect(verdict.lawful() == verdict.violations.empty(), "a verdict tells what is broken");
    for (const ScheduleForm& form : schedule_forms()) {
        const std::string once = form.write == nullptr ? std::string() : written_as(form, told);
        if (once.empty()) continue;
        const ToldSchedule again = told_by(once);
        expect(again.schedule.rounds() == told.schedule.rounds(), "a schedule that was written is read again");
        // Files of other programs do not name the operation: it is lost where nothing is sent.
        const bool is_kept =
            !told.schedule.empty() && told.collective.promises() && (!told.collective.is_own() || form.name == "json");
        expect(!is_kept || name(again.collective.operation) == name(told.collective.operation), "and does the same");
    }
}

}  // namespace kport::fuzz
