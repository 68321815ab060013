/// @file kport.hpp   All of the library for programs outside of this repository: #include <kport/kport.hpp>.
///
/// What this header includes, directly or through others, is public: it is installed, and its names are visible in a shared
/// library. Not here, because it needs nlohmann-json: <kport/files/json_report.hpp>.
#pragma once

// The machine, node programs, engines, audit: kport::emulator.
#include "emulator/audit/audit_schedule.hpp"
#include "emulator/audit/violation.hpp"
#include "emulator/base/error.hpp"
#include "emulator/engine/free_running.hpp"
#include "emulator/engine/job.hpp"
#include "emulator/report/report.hpp"
#include "emulator/schedule/critical_path.hpp"
// The catalogue and the lower bounds: kport::algorithms.
#include "algorithms/catalogue.hpp"
#include "algorithms/own_algorithm.hpp"
// A request becomes a report: kport::session.
#include "app/session/choose.hpp"
#include "app/session/comparison.hpp"
#include "app/session/message_sizes.hpp"
#include "app/session/run.hpp"
// Collectives among the threads of a program: kport::shm.
#include "bindings/shm/group.hpp"
// Schedules and graphs as text: kport::files.
#include "app/files/graph_file.hpp"
#include "app/files/schedule_file.hpp"
#include "app/files/schedule_forms.hpp"
// Random machines, orders and faults: kport::stress.
#include "app/stress/stress.hpp"
