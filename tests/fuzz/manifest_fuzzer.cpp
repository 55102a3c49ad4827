#include "actors/cli/manifest/workload.hpp"
#include "frameworks/registry.hpp"
#include "tests/fuzz/fuzz_input.hpp"

#include <algorithm>
#include <set>

// A manifest, as `troupe run` and `troupe submit` read it: YAML or JSON.

namespace {

using namespace troupe;
using fuzz::require;
using k8s::json;

std::vector<std::string> job_kinds() {
  std::vector<std::string> kinds;
  for (const auto& f : frameworks::all())
    kinds.push_back(f.names.type.kind);
  return kinds;
}

/// YAML knows no longer keys without a mark (`?`) before them.
constexpr std::size_t longest_key = 1000;

bool has_long_key(const json& value) {
  return value.is_structured()
         && std::any_of(value.items().begin(), value.items().end(),
                        [](const auto& item) {
                          return k8s::to_text(item.key()).size() > longest_key
                                 || has_long_key(item.value());
                        });
}

bool has_repeated_key(std::string_view text) {
  std::vector<std::set<std::string>> seen;
  bool repeated = false;
  auto note = [&](int, json::parse_event_t event, json& value) {
    if (event == json::parse_event_t::object_start)
      seen.emplace_back();
    else if (event == json::parse_event_t::object_end)
      seen.pop_back();
    else if (event == json::parse_event_t::key)
      repeated |= !seen.back().insert(value.get<std::string>()).second;
    return true;
  };
  (void)json::parse(text, note, false);
  return repeated;
}

/// JSON is YAML: kubectl reads both.
void check_json(const std::string& text) {
  auto value = k8s::parse_json(text);
  if (!value || !value->is_object() || has_long_key(*value)
      || has_repeated_key(text))
    return;
  auto read = cli::parse_manifest(text, "f");
  require(read && read->size() == 1 && read->front().value == *value,
          "a manifest in JSON is read as JSON");
}

void check_workload(const cli::workload& w) {
  require(!w.jobs.empty(), "there is a job");
  for (const auto& job : w.jobs)
    require(!job.kind.empty() && !job.name.empty() && !job.ns.empty(),
            "a job to run has a kind, a name and a namespace");
  for (const auto& object : w.supporting)
    require(!k8s::text_at(object.value, {"metadata", "name"}).empty(),
            "every object has a name");
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  fuzz::fuzz_input input{data, size};
  std::string text{input.rest()};
  check_json(text);
  auto documents = cli::parse_manifest(text, "f");
  if (!documents) {
    require(!documents.error().message.empty(), "a failure has a message");
    return 0;
  }
  for (const auto& d : *documents)
    check_json(k8s::to_text(d.value));
  static const auto kinds = job_kinds();
  if (auto w = cli::extract_workload(std::move(*documents), "", kinds,
                                     [] { return 0; }))
    check_workload(*w);
  return 0;
}
