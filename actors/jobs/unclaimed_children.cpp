#include "actors/jobs/unclaimed_children.hpp"

#include "frameworks/core/model/names.hpp"

#include <utility>

namespace troupe::actors {

namespace {

std::size_t bytes_of(const std::map<std::string, std::string>& texts) {
  std::size_t sum = 0;
  for (const auto& [key, value] : texts)
    sum += key.size() + value.size();
  return sum;
}

template <class State>
std::size_t bytes_of_state(const State& state) {
  std::size_t sum = 0;
  if (const auto* pod = std::get_if<k8s::pod_state>(&state)) {
    sum += pod->message.size() + pod->scheduling_group.value_or("").size();
    for (const auto* all : {&pod->containers, &pod->init_containers})
      for (const auto& c : *all)
        sum += c.name.size() + c.reason.size() + c.message.size();
    for (const auto& c : pod->conditions)
      sum += c.type.size() + c.reason.size() + c.message.size();
    if (pod->ports)
      for (const auto& p : *pod->ports)
        sum += sizeof p + p.container.size() + p.name.size();
  } else if (const auto* job = std::get_if<k8s::batch_job_state>(&state)) {
    sum += job->failed_reason.size() + job->failed_message.size()
           + job->scheduling_group.size();
  } else if (const auto* whole = std::get_if<k8s::full_state>(&state)) {
    sum += whole->text.size() + whole->metadata.size();
  }
  return sum;
}

std::size_t bytes_of(const std::vector<k8s::owner_reference>& owners) {
  std::size_t sum = 0;
  for (const auto& o : owners)
    sum += o.api_version.size() + o.kind.size() + o.name.size() + o.uid.size();
  return sum;
}

/// Annotations are what programs add most of; only these are read.
std::map<std::string, std::string>
annotations_that_are_read(const std::map<std::string, std::string>& all) {
  std::map<std::string, std::string> result;
  if (auto i = all.find(core::label::early_failures); i != all.end())
    result.insert(*i);
  return result;
}

} // namespace

k8s::object_ptr child_within_limit_or_null(const k8s::object_ptr& child,
                                           std::size_t most_bytes) {
  auto rest = bytes_of(child->meta.labels) + bytes_of(child->meta.owners)
              + bytes_of_state(child->state);
  if (rest + bytes_of(child->meta.annotations) <= most_bytes)
    return child;
  auto annotations = annotations_that_are_read(child->meta.annotations);
  if (rest + bytes_of(annotations) > most_bytes)
    return nullptr;
  auto smaller = std::make_shared<k8s::object>(*child);
  smaller->meta.annotations = std::move(annotations);
  return smaller;
}

void unclaimed_children::add(const std::string& job_key,
                             const core::framework* job_kind,
                             const child_seen& fact) {
  auto& of_job = by_job_[job_key];
  of_job.job_kind = job_kind;
  auto& known = of_job.facts[core::uid_key{fact.item->meta.uid}];
  kept_ -= known.item ? 1 : 0;
  known = {fact.kind, nullptr, fact.list_number};
  bool full = listed_.count(job_kind) > 0 && kept_ >= most_after_list;
  if (!full)
    known.item = child_within_limit_or_null(fact.item, most_bytes_of_child);
  kept_ += known.item ? 1 : 0;
}

void unclaimed_children::forget(const std::string& job_key,
                                const core::uid_key& uid) {
  auto i = by_job_.find(job_key);
  if (i == by_job_.end())
    return;
  auto& known = i->second.facts;
  if (auto one = known.find(uid); one != known.end()) {
    kept_ -= one->second.item ? 1 : 0;
    known.erase(one);
  }
  if (known.empty())
    by_job_.erase(i);
}

void unclaimed_children::on_jobs_listed(const core::framework* job_kind) {
  listed_.insert(job_kind);
  for (auto& [key, of_job] : by_job_) {
    if (listed_.count(of_job.job_kind) == 0)
      continue;
    for (auto& [uid, fact] : of_job.facts) {
      if (kept_ <= most_after_list)
        return;
      kept_ -= fact.item ? 1 : 0;
      fact.item = nullptr;
    }
  }
}

std::size_t unclaimed_children::size() const {
  std::size_t sum = 0;
  for (const auto& [key, of_job] : by_job_)
    sum += of_job.facts.size();
  return sum;
}

} // namespace troupe::actors
