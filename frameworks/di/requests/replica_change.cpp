#include "frameworks/di/requests/replica_change.hpp"

#include "frameworks/core/model/names.hpp"
#include "frameworks/core/observed/observed.hpp"

#include <algorithm>

namespace troupe::frameworks::di {

using core::decision;
using core::request_inputs;

namespace {

/// So often a name may be taken; there are fourteen million. As often a
/// deletion that undoes a creation may fail.
constexpr int most_tries = 5;

constexpr const char* why_asked = "a pod of the job has asked for it";

bool is_slot_taken(const core::observed_children& seen, const core::slot& at) {
  return std::any_of(seen.pods().begin(), seen.pods().end(),
                     [&](const auto& pod) { return pod.at == at; });
}

core::delete_child make_rollback_deletion(const created_pod& pod) {
  core::delete_child d;
  d.at = {pod.role, core::index_from_random_name(pod.name)};
  d.name = pod.name;
  d.uid = pod.uid;
  d.why = "its replica could not be completed";
  d.adds_event = false;
  return d;
}

} // namespace

std::int32_t suffix_source::draw_unused_suffix(const std::string& role,
                                               const request_inputs& in) {
  core::slot at{
      role, static_cast<std::int32_t>(in.random() * core::random_suffix_count)};
  while (is_slot_taken(in.seen, at) || drawn_.count(at) > 0)
    at.index = (at.index + 1) % core::random_suffix_count;
  drawn_.insert(at);
  return at.index;
}

replica_change::replica_change(change_stages stages)
    : stages_(std::move(stages)) {}

std::vector<decision> replica_change::next_decisions(const request_inputs& in,
                                                     suffix_source& suffixes) {
  while (deletions_.empty() && creations_.empty()
         && state_ != state::finished) {
    std::vector<decision> decisions;
    if (state_ == state::deleting)
      decisions = make_deletions_or_change_state(in);
    else if (state_ == state::creating)
      decisions = make_creations_or_change_state(in, suffixes);
    else
      decisions = make_rollback_deletion_or_finish(in);
    if (!decisions.empty())
      return decisions;
  }
  return {};
}

std::vector<decision>
replica_change::make_deletions_or_change_state(const request_inputs& in) {
  if (failure_) {
    finish_and_set_urls(in);
    return {};
  }
  if (stage_ == stages_.deletions.size()) {
    urls_ = stages_.deleted_urls;
    state_ = state::creating;
    stage_ = 0;
    return {};
  }
  std::vector<decision> result;
  for (auto& d : stages_.deletions[stage_++]) {
    deletions_.insert(d.uid);
    result.emplace_back(d);
  }
  return result;
}

std::vector<decision>
replica_change::make_creations_or_change_state(const request_inputs& in,
                                               suffix_source& suffixes) {
  if (failure_) {
    state_ = state::rolling_back;
    return {};
  }
  if (stage_ == stages_.creations.size()) {
    finish_and_set_urls(in);
    return {};
  }
  std::vector<decision> result;
  for (auto& what : stages_.creations[stage_++]) {
    if (failure_)
      break;
    creation c;
    c.what = what;
    if (auto d = begin_creation_or_record_failure(std::move(c), in, suffixes))
      result.push_back(std::move(*d));
  }
  return result;
}

// What was created last goes first: the processes before their aggregator.
std::vector<decision>
replica_change::make_rollback_deletion_or_finish(const request_inputs& in) {
  if (created_.empty()) {
    finish_and_set_urls(in);
    return {};
  }
  auto d = make_rollback_deletion(created_.back());
  deletions_.insert(d.uid);
  return {std::move(d)};
}

void replica_change::finish_and_set_urls(const request_inputs& in) {
  state_ = state::finished;
  if (!failure_)
    for (const auto& pod : reported_)
      urls_.push_back(access_url(pod.name, in.of.ns, pod.port));
}

std::optional<decision> replica_change::begin_creation_or_record_failure(
    creation c, const request_inputs& in, suffix_source& suffixes) {
  c.at = {c.what.role, suffixes.draw_unused_suffix(c.what.role, in)};
  ++c.tries;
  auto pod = c.what.make(core::child_name(in.of, c.at), created_);
  if (!pod) {
    record_first_failure(pod.error());
    return std::nullopt;
  }
  core::create_child d;
  d.at = c.at;
  d.why = why_asked;
  d.body = std::move(pod->body);
  d.adds_event = false;
  c.port = pod->port;
  creations_.push_back(std::move(c));
  return d;
}

bool replica_change::awaits_result_of(const decision& d) const {
  if (const auto* deletion = std::get_if<core::delete_child>(&d))
    return deletions_.count(deletion->uid) > 0;
  const auto* made = std::get_if<core::create_child>(&d);
  return made
         && std::any_of(creations_.begin(), creations_.end(),
                        [&](const auto& c) { return c.at == made->at; });
}

void replica_change::on_order_done(const core::order_done& report) {
  const auto& d = *report.order.decision;
  if (const auto* deletion = std::get_if<core::delete_child>(&d)) {
    end_deletion_and_advance_rollback(deletion->uid);
    return;
  }
  const auto& at = std::get<core::create_child>(d).at;
  auto c = find_creation(at);
  created_.push_back(
      {at.type, report.item->meta.name, report.item->meta.uid, c->port});
  if (c->what.is_reported)
    reported_.push_back(created_.back());
  creations_.erase(c);
}

void replica_change::end_deletion_and_advance_rollback(const std::string& uid) {
  deletions_.erase(uid);
  if (state_ != state::rolling_back)
    return;
  created_.pop_back();
  rollback_tries_ = 0;
}

std::vector<replica_change::creation>::iterator
replica_change::find_creation(const core::slot& at) {
  return std::find_if(creations_.begin(), creations_.end(),
                      [&](const auto& c) { return c.at == at; });
}

std::vector<decision> replica_change::on_order_failed(const decision& d,
                                                      const k8s::failure& why,
                                                      const request_inputs& in,
                                                      suffix_source& suffixes) {
  if (const auto* deletion = std::get_if<core::delete_child>(&d)) {
    // Nobody else would delete what a replica was left with.
    if (state_ == state::rolling_back && !why.is_refusal()
        && ++rollback_tries_ < most_tries)
      deletions_.erase(deletion->uid);
    else
      end_deletion_and_advance_rollback(deletion->uid);
    record_first_failure(why);
    return {};
  }
  auto i = find_creation(std::get<core::create_child>(d).at);
  auto c = std::move(*i);
  creations_.erase(i);
  if (why.code == k8s::ec::exists && c.tries < most_tries && !failure_) {
    if (auto again =
            begin_creation_or_record_failure(std::move(c), in, suffixes))
      return {std::move(*again)};
    return {};
  }
  record_first_failure(why);
  return {};
}

void replica_change::record_first_failure(k8s::failure why) {
  if (!failure_)
    failure_ = std::move(why);
}

} // namespace troupe::frameworks::di
