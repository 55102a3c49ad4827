#pragma once

#include "tests/exploration/operator_process.hpp"

namespace troupe::exploration {

// The calls of orders about a job in a queue, as the operator's values make
// them, and their answers, as they read them.

order_call_kind kind_of_queue_call(const k8s::request& r);
/// Nothing of a call that is no such write.
queue_text read_queue_text(const setting& s, order_call_kind call,
                           const std::string& body);
/// Of a Workload, the job, or what never changes.
std::string text_of_queue_answer(const setting& s, const order_under_way& o);

} // namespace troupe::exploration
