#pragma once

#include "frameworks/core/pass/queueing.hpp"
#include "tests/fixtures/builders.hpp"
#include "tests/frameworks/core/queueing/queue_course_fixture.hpp"

#include <string>

// Passes over a TFJob of two workers in a queue of Kueue's.

namespace troupe::fixtures::queued {

inline core::cluster_options with_kueue() {
  core::cluster_options c;
  c.queueing.on = true;
  return c;
}

inline job_builder plain() {
  return make_queued_job().workers(2);
}

inline workload_builder workload() {
  return workload_builder{plain()};
}

inline job_builder running() {
  return with_grant(plain(), workload().admitted());
}

inline workload_builder reported() {
  return workload().admitted().pods_ready(false, "WaitForStart");
}

struct queue_fixture : job_fixture {
  core::cluster_options cluster = with_kueue();
  int version = 5;

  explicit queue_fixture(const job_builder& b)
      : job_fixture(b) {}

  queue_fixture& see(workload_builder w) {
    if (last_seen != w.text()) {
      last_seen = w.text();
      record_seen(seen, core::child_kind::workload,
                  w.version(++version).object(), j);
    }
    return *this;
  }
  queue_fixture& set_job(const job_builder& b) {
    j = b;
    return *this;
  }
  strings next() {
    last = core::plan(j, seen, open, status, saved, now, cluster);
    status = last.status;
    save();
    return decisions();
  }
  const core::queue_order* order() const {
    for (const auto& d : last.decisions)
      if (const auto* o = std::get_if<core::queue_order>(&d))
        return o;
    return nullptr;
  }

  std::string last_seen;
};

inline std::string order_text(const char* what) {
  return std::string{what} + ", workload " + core::workload_name(plain());
}

} // namespace troupe::fixtures::queued
