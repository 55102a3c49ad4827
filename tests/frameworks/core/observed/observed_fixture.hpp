#pragma once

#include "frameworks/core/observed/observed.hpp"
#include "tests/fixtures/builders.hpp"

namespace troupe::fixtures {

/// What a job of two workers has seen of its children.
struct observed_fixture {
  core::job j = make_job().workers(2);
  core::observed_children seen{};
  bool changed = false;

  /// Records the child; returns its events.
  strings observe(const child_builder& c, std::uint64_t list_number = 1) {
    strings out;
    auto change = record_seen(seen, c.what(), c.object(j), j, list_number);
    changed = change.changed;
    for (const auto& t : change.events)
      out.push_back((t.warning ? "W " : "N ") + t.reason + " " + t.message);
    return out;
  }
};

} // namespace troupe::fixtures
