#include "app/grade/mark.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
#include <new>
#include <sstream>
#include <utility>

#include <fmt/format.h>
#include <boost/algorithm/string/replace.hpp>

#include "app/files/schedule_file.hpp"
#include "app/files/schedule_forms.hpp"
#include "app/session/run.hpp"
#include "app/stress/second_opinion.hpp"
#include "emulator/audit/violation.hpp"
#include "emulator/base/error.hpp"
#include "emulator/base/nearest.hpp"
#include "emulator/report/words.hpp"

namespace kport::grade {

namespace {

constexpr std::size_t sentence_bytes = 400;

/// What the exercise asks of a schedule before its file is read.
ScheduleContext context_of(const Exercise& exercise, const ExerciseMachine& machine) {
    const Collective& asked = machine.experiment.collective;
    ScheduleContext context;
    context.machine = machine.experiment.machine;
    context.operation = asked.operation;
    if (asked.rooted() && !exercise.any_source) context.root = std::to_string(asked.root);
    context.packet_bytes = asked.packet_bytes;
    context.packets_each = asked.packets_each;
    context.rules = asked.rules;
    return context;
}

void require_own_form(const std::string& text) {
    constexpr auto endings = row(Kind::schedule).endings;
    const ScheduleForm* const form = schedule_form_of(text);
    if (form != nullptr && std::ranges::find(endings, form->endings) == endings.end())
        throw RequestError(fmt::format("a schedule of the form {}; want JSON, text or CSV", form->name));
}

void require_limits(const Schedule& schedule, const Limits& limits) {
    if (schedule.size() > limits.messages)
        throw RequestError(fmt::format("{}; the exercise allows {}", grouped_count(schedule.size(), "message"),
                                       grouped_count(limits.messages)));
    if (schedule.rounds() > limits.messages)
        throw RequestError(fmt::format("{}; the exercise allows {}", grouped_count(schedule.rounds(), "round"),
                                       grouped_count(limits.messages)));
}

/// What is judged: the messages of the text, with the machine and the promise of the exercise.
Submission submission_of(const Exercise& exercise, const ExerciseMachine& machine, const std::string& text,
                         const std::string& name) {
    if (text.size() > schedule_bytes_most)
        throw RequestError(
            fmt::format("more than {} of text; want less", memory(static_cast<double>(schedule_bytes_most))));
    require_own_form(text);
    std::istringstream in(text);
    ReadSchedule read = read_any_schedule(in, name, context_of(exercise, machine));
    require_limits(read.told.schedule, exercise.limits);
    const Collective& told = read.told.collective;
    Submission submission{name, std::string(read.form->name), machine.experiment.machine, machine.experiment.collective,
                          std::move(read.told.schedule)};
    if (exercise.any_source && told.rooted()) submission.collective.root = told.root;
    submission.collective.in_runs = told.in_runs;
    submission.collective.unfolded = told.unfolded;
    return submission;
}

/// The packets of all messages, one by one: what the umpire takes. At most `most` + 1.
std::uint64_t packets_carried(const Schedule& schedule, std::uint64_t most) {
    std::uint64_t all = 0;
    for (std::size_t i = 0; i < schedule.size() && all <= most; ++i)
        all += std::min<std::uint64_t>(size_of(schedule.transfer(i).packets), most + 1);
    return all;
}

/// Whether the schedule is small enough for the umpire, who counts one by one.
bool is_for_umpire(const Submission& submission) {
    constexpr NodeId nodes_most = 64;
    constexpr std::uint64_t steps_most = 1'000'000;
    const NodeId nodes = submission.machine.topology->nodes();
    return nodes <= nodes_most && submission.schedule.rounds() <= steps_most / nodes &&
           packets_carried(submission.schedule, steps_most) <= steps_most;
}

/// The share of a criterion's points that a value gets.
double share_of(double value, double allowed, std::optional<double> zero_from) {
    if (value <= allowed) return 1;
    if (!zero_from || value >= *zero_from) return 0;
    return (*zero_from - value) / (*zero_from - allowed);
}

std::string in_units(double value, Quantity quantity) {
    const QuantityRow& of = row(quantity);
    if (of.count == nullptr) return fmt::format("{} {}", of.title, grouped(value));
    const std::string_view title = value == 1 && of.title == "rounds" ? "round" : of.title;
    return of.unit.empty() ? fmt::format("{} {}", grouped(value), title)
                           : fmt::format("{} {} {}", title, grouped(value), of.unit);
}

/// Points of a lawful schedule; the first criterion that costs some gives the failure.
void add_points(const Exercise& exercise, const ExerciseMachine& machine, const Report& report, Mark& mark) {
    for (const Criterion& criterion : exercise.criteria) {
        double share = 1;
        std::string missed;
        if (criterion.quantity) {
            const Quantity quantity = *criterion.quantity;
            const double value = (*mark.measured)[quantity];
            const std::string bound = report.bounds[quantity].value
                                          ? fmt::format("bound {}", grouped(*report.bounds[quantity].value))
                                          : std::string("no bound is known");
            if (criterion.at_most) {
                const auto allowed = [&](const Allowance& a) {
                    return allowed_on(machine, report.bounds, quantity, a);
                };
                const double most = allowed(*criterion.at_most);
                share = share_of(value, most,
                                 criterion.zero_from ? std::optional(allowed(*criterion.zero_from)) : std::nullopt);
                missed = fmt::format("{}, allowed {} ({})", in_units(value, quantity), grouped(most), bound);
            } else {
                share = optimal(report, quantity) == true ? 1 : 0;
                missed = fmt::format("{}, {}", in_units(value, quantity), bound);
            }
        }
        mark.points.push_back(criterion.points * share);
        if (share < 1 && mark.failure.empty()) mark.failure = std::move(missed);
    }
}

std::string first_fault(const Report& report) {
    const Verdict& verdict = report.verdict;
    if (!verdict.violations.empty()) return sentence(verdict.violations.front(), *report.machine.topology);
    return verdict.delivered ? "a rule is broken" : "not everything is delivered";
}

Mark judged_mark(const Exercise& exercise, const ExerciseMachine& machine, const Submission& submission) {
    const Outcome outcome = kport::check(submission, false);
    const Report& report = outcome.report;
    std::string dispute;
    if (is_for_umpire(submission))
        dispute = second_opinion(submission.schedule, submission.machine, report.collective, report.verdict);
    Mark mark;
    if (outcome.ending != Ending::lawful)
        mark = without_points(exercise, machine, first_fault(report));
    else if (!dispute.empty())
        mark = without_points(exercise, machine, "the two judges of kport differ; its maintainers want this schedule");
    mark.dispute = std::move(dispute);
    mark.measured.emplace();
    for (const QuantityRow& of : quantity_rows) (*mark.measured)[of.quantity] = measured_value(report, of.quantity);
    if (!mark.points.empty()) return mark;
    mark.lawful = true;
    add_points(exercise, machine, report, mark);
    return mark;
}

}  // namespace

double measured_value(const Report& report, Quantity quantity) {
    return quantity == Quantity::rounds ? static_cast<double>(rounds_judged(report))
                                        : row(quantity).of(report.verdict.metrics);
}

Mark without_points(const Exercise& exercise, const ExerciseMachine& machine, std::string why) {
    if (machine.hidden) boost::replace_all(why, machine.experiment.topology().spec(), "it");
    return {.points = std::vector<double>(exercise.criteria.size(), 0.0), .failure = one_line(why, sentence_bytes)};
}

Mark mark_of(const Exercise& exercise, const ExerciseMachine& machine, const std::string& text,
             const std::string& name) {
    try {
        if (exercise.takes.contains(Kind::numbers)) return mark_of_answers(exercise, machine, text);
        return judged_mark(exercise, machine, submission_of(exercise, machine, text, name));
    } catch (const RequestError& error) {
        return without_points(exercise, machine, error.what());
    } catch (const DoesNotFit& error) {
        return without_points(exercise, machine, error.what());
    } catch (const std::bad_alloc&) {
        return without_points(exercise, machine, "judging it needs more memory than the system gives");
    } catch (const std::exception& error) {
        return without_points(exercise, machine, fmt::format("no schedule: {}", error.what()));
    }
}

Story story_in(const Exercise& exercise, const ExerciseMachine& machine, const std::string& text) {
    Submission submission = submission_of(exercise, machine, text, "the hand-in");
    const Outcome outcome = kport::check(submission, true);
    return story_of(outcome.report, std::move(submission.schedule));
}

std::string text_of(const Schedule& schedule, const ExerciseMachine& machine, const Collective& collective) {
    std::ostringstream out;
    write_schedule(out, schedule, machine.experiment.topology(), collective);
    return std::move(out).str();
}

std::string points_text(double points) {
    constexpr double parts = 100;
    return number(std::round(points * parts) / parts);
}

}  // namespace kport::grade
