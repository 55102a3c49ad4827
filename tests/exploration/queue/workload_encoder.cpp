#include "tests/exploration/queue/workload_encoder.hpp"

namespace troupe::exploration {

namespace {

void encode_workload_condition(encoder& e,
                               const core::workload_state::condition& c) {
  e.byte((c ? 1U : 0U) + (c && c->is_true ? 2U : 0U));
  if (c)
    e.text(c->reason);
}

} // namespace

void encode_workload_state(encoder& e, const core::workload_state& w) {
  for (const auto* c : {&w.quota_reserved, &w.admitted, &w.evicted, &w.requeued,
                        &w.pods_ready, &w.finished})
    encode_workload_condition(e, *c);
  e.byte((w.active ? 1U : 0U) + (w.keeps_quota ? 2U : 0U)
         + (w.has_admitted_templates ? 4U : 0U)
         + (w.check_message.empty() ? 0U : 8U));
  for (const auto* counts : {&w.asked, &w.granted, &w.returned}) {
    e.number(counts->size());
    for (const auto& one : *counts)
      e.number(static_cast<std::uint64_t>(one.count));
  }
  e.text(w.content_hash);
  e.text(w.requests_hash);
}

void encode_workload(encoder& e, const setting& s, const workload& w,
                     tag what) {
  encoder::part part{e, s.workload_place(), what};
  e.byte((w.body ? 1U : 0U) + (w.deleting ? 2U : 0U));
  if (!w.body)
    return;
  e.number(static_cast<std::uint64_t>(w.body->number));
  e.pod(w.number);
  e.version(w.version);
}

void encode_queue_text(encoder& e, const setting& s, const queue_text& t) {
  e.number(t.body ? static_cast<std::uint64_t>(t.body->number) : 0);
  e.number(t.spec ? static_cast<std::uint64_t>(t.spec->number) : 0);
  if (t.spec) {
    e.job_version(t.version);
  } else {
    encoder::part part{e, s.workload_place(), of_order};
    e.version(t.version);
  }
}

} // namespace troupe::exploration
