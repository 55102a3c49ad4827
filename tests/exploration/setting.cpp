#include "tests/exploration/setting.hpp"

#include "frameworks/core/model/names.hpp"
#include "frameworks/core/queueing/workload_content.hpp"
#include "frameworks/core/spec/job_reading.hpp"
#include "tests/exploration/operator_process.hpp"

#include <nlohmann/json.hpp>

#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <utility>

namespace troupe::exploration {

namespace {

constexpr const char* job_uid = "00000000-0000-4000-8000-000000000001";
constexpr std::int64_t epoch = 1'700'000'000;

std::shared_ptr<const actors::actor_options> make_options(bool queued) {
  auto o = std::make_shared<actors::actor_options>();
  o->status_interval = std::chrono::seconds{1};
  o->cluster.queueing.on = queued;
  return o;
}

std::string text_with_suspend(const std::string& spec, bool suspend) {
  auto text = nlohmann::json::parse(spec);
  text["runPolicy"]["suspend"] = suspend;
  return text.dump();
}

} // namespace

k8s::time_point time_of_creation() {
  return k8s::time_point{std::chrono::seconds{epoch}};
}

k8s::time_point time_of_start() {
  return time_of_creation() + std::chrono::hours{2};
}

std::string uid_of_pod(int slot, int number) {
  char text[40];
  std::snprintf(text, sizeof text, "%08x-0000-4000-8000-%012x",
                static_cast<unsigned>(slot + 1), static_cast<unsigned>(number));
  return text;
}

std::pair<int, int> pod_of_uid(const std::string& uid) {
  if (uid.size() != 36)
    return {-1, -1};
  auto slot = std::strtol(uid.substr(0, 8).c_str(), nullptr, 16);
  auto number = std::strtol(uid.substr(24).c_str(), nullptr, 16);
  return {static_cast<int>(slot) - 1, static_cast<int>(number)};
}

std::string name_of_node(const std::string& pod, bool spare) {
  return (spare ? "spare-of-" : "node-of-") + pod;
}

setting::setting(std::string what, const core::framework& row, std::string spec,
                 const bounds& may_happen, bool with_services, bool queued)
    : name(std::move(what))
    , most(may_happen)
    , plan(core::plan)
    , row_(row)
    , queued_(queued)
    , options_(make_options(queued)) {
  row_.pods.services = with_services;
  row_.hooks.auxiliary_objects = nullptr;
  written_ = text_with_suspend(spec, false);
  running_ = make_job(written_, 1);
  suspended_ = make_job(text_with_suspend(spec, true), 2);
  reference_ = std::make_shared<const actors::job_reference>(
      actors::job_reference{&row_, "ns", "job", job_uid});
  for (const auto& type : running_->replicas)
    for (int i = 0; i < type.replicas; ++i)
      slots_.push_back({type.label, i});
  for (const auto& at : slots_)
    places_.names.push_back(core::child_name(*running_, at));
  if (with_services) { // A pod and its service would be sorted apart.
    const auto names = places_.names;
    places_.names.insert(places_.names.end(), names.begin(), names.end());
  } else {
    places_.groups = groups_of_alike_slots();
  }
  for (int generation = 1; generation <= 1 + 2 * most.suspensions;
       ++generation) {
    auto j = std::make_shared<core::job>(generation % 2 == 0 ? *suspended_
                                                             : *running_);
    j->generation = generation;
    jobs_[{generation, 0}] = std::move(j);
  }
  if (queued)
    places_.names.push_back(core::workload_name(*running_));
}

bool setting::restarts_beyond_pod() const {
  return running_->failure_policy_or_default().may_restart_beyond_pod();
}

bool setting::restarts_types() const {
  return running_->failure_policy_or_default().scope
             == core::restart_scope::replica_type
         && last_slot() < 0; // It is restarted with the others.
}

int setting::last_slot() const {
  for (std::size_t i = 0; i < slots_.size(); ++i)
    if (slots_[i].type == "launcher")
      return static_cast<int>(i);
  return -1;
}

/// The replicas of a type. Only the success of a TFJob's first worker is that
/// of the job.
std::vector<std::vector<int>> setting::groups_of_alike_slots() const {
  bool first_differs = row_.names.type.kind == std::string{"TFJob"}
                       && most.successes + most.late_ends > 0;
  std::map<std::string, std::vector<int>> by_type;
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    const auto& at = slots_[i];
    if (!(first_differs && at.type == "worker" && at.index == 0))
      by_type[at.type].push_back(static_cast<int>(i));
  }
  std::vector<std::vector<int>> groups;
  for (auto& [type, slots] : by_type)
    groups.push_back(std::move(slots));
  return groups;
}

core::job_ptr setting::make_job(const std::string& spec, int generation) const {
  k8s::object o;
  o.meta.name = "job";
  o.meta.ns = "ns";
  o.meta.uid = job_uid;
  o.meta.generation = generation;
  o.meta.created = time_of_creation();
  if (queued_)
    o.meta.labels[core::label::kueue_queue] = "q";
  o.state = k8s::spec_and_status_state{spec, "null"};
  auto j = core::decode_job(row_, o);
  if (!j || !j->validation_error.empty())
    throw std::runtime_error(j ? j->validation_error : j.error().message);
  return std::make_shared<const core::job>(std::move(*j));
}

const core::job_ptr& setting::job_of(const job_object& o) const {
  if (!o.spec)
    return jobs_.at({o.generation, 0});
  auto& j = jobs_[{o.generation, o.spec->number}];
  if (!j)
    j = make_job(o.spec->text, o.generation);
  return j;
}

int setting::number_of_job(const core::job_ptr& j) const {
  return numbers_.emplace(j.get(), static_cast<int>(numbers_.size()) + 1)
      .first->second;
}

const job_spec* setting::first_spec() const {
  return queued_ ? read_spec(written_) : nullptr;
}

const job_spec* setting::read_spec(const std::string& text) const {
  auto [i, is_new] = specs_.emplace(text, job_spec{});
  auto& spec = i->second;
  if (is_new) {
    auto whole = nlohmann::json::parse(text);
    spec.text = text;
    spec.suspended = whole["runPolicy"]["suspend"];
    spec.is_as_written = text_with_suspend(text, false) == written_;
    spec.number = static_cast<int>(specs_.size());
  }
  return &spec;
}

const job_spec* setting::with_suspend(const job_spec& of, bool suspend) const {
  return read_spec(text_with_suspend(of.text, suspend));
}

int setting::number_of_place(core::child_kind kind,
                             const core::slot& at) const {
  auto of_services =
      kind == core::child_kind::service ? slots_.size() : std::size_t{0};
  for (std::size_t i = 0; i < slots_.size(); ++i)
    if (slots_[i] == at)
      return static_cast<int>(i + of_services);
  throw std::runtime_error("no slot of the job: " + core::to_string(at));
}

} // namespace troupe::exploration
