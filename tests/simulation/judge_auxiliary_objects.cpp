// What a job has beside pods and services is held against the wishes of its
// framework's table, asked once all is quiet.
#include "k8s/codec.hpp"
#include "tests/simulation/judge.hpp"

namespace troupe::simulation {

namespace {

/// Whether all that is asked for is there.
bool has(const json& there, const json& asked) {
  if (!asked.is_object())
    return there == asked;
  for (const auto& [key, value] : asked.items())
    if (!has(at(there, key.c_str()), value))
      return false;
  return true;
}

} // namespace

void judge::end_of_auxiliary_objects(const json& job) {
  const auto& row = book_.row();
  auto object =
      k8s::decode_object(job.dump(), k8s::object_detail::spec_and_status);
  auto j = object ? core::decode_job(row, **object)
                  : k8s::result<core::job>(object.error());
  if (!j) {
    complain("cannot be read: " + j.error().message);
    return;
  }
  core::observed seen;
  for (const auto& [key, pod] : api_->all("pods"))
    if (auto o = k8s::decode_object(pod.dump(), k8s::object_detail::pod)) {
      bool changed = false;
      seen.record_seen(core::child_kind::pod, **o, *j, 1, changed);
    }
  std::set<std::string> wanted;
  if (row.auxiliary_objects)
    for (const auto& b : row.auxiliary_objects(*j, seen, {})) {
      const auto& kind = core::resource_of(b.kind).plural;
      wanted.insert(kind + "/" + b.name);
      const auto* there = api_->find(kind, "ns/" + b.name);
      if (!there)
        complain(kind + "/" + b.name + " is missing");
      else if (!has(*there, json::parse(b.body)))
        complain(kind + "/" + b.name
                 + " is not as the job needs it: " + there->dump());
    }
  for (auto what : row.auxiliary_kinds)
    for (const auto& [key, o] : api_->all(core::resource_of(what).plural))
      if (ours(o)
          && wanted.count(core::resource_of(what).plural + "/" + name_of(o))
                 == 0)
        complain(key + " is left, which nobody wants");
}

} // namespace troupe::simulation
