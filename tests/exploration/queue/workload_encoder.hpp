#pragma once

#include "tests/exploration/state_reader.hpp"

namespace troupe::exploration {

/// What is known of a Workload, as far as it may differ in these worlds.
void encode_workload_state(encoder& e, const core::workload_state& w);
void encode_workload(encoder& e, const setting& s, const workload& w, tag what);
/// What is written about a job in a queue.
void encode_queue_text(encoder& e, const setting& s, const queue_text& t);

} // namespace troupe::exploration
