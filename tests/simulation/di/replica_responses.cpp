// What responses to requests for replicas tell, compared with what was done.
#include "tests/simulation/di/replica_ledger.hpp"

#include <algorithm>

namespace troupe::simulation {

using frameworks::di::request_verb;

namespace {

/// "job-collector-7x2bq" of "job-collector-7x2bq.ns:22270".
std::string pod_of_url(const json& url) {
  return text(url).substr(0, text(url).find('.'));
}

std::string joined_names(const json& urls) {
  std::string result;
  for (const auto& url : urls)
    result += " " + pod_of_url(url);
  return result;
}

bool tells(const std::string& text, const char* part) {
  return text.find(part) != std::string::npos;
}

/// The request was begun, but not carried out to its end.
bool tells_of_an_interruption(const core::job_response& r) {
  return (r.status == 503 && tells(r.message, "interrupted"))
         || (r.status == 504 && tells(r.message, "did not answer"))
         || (r.status == 404 && tells(r.message, "DIJob ns/job not found"));
}

} // namespace

void replica_ledger::record_response(std::size_t number,
                                     const core::job_response& r,
                                     const std::string& job) {
  auto& q = requests_[number];
  if (q.response) {
    report_("answers a request twice");
    return;
  }
  ++clock_;
  q.response = r;
  q.interrupted = tells_of_an_interruption(r);
  auto data = json::parse(r.data);
  // An error tells what was done before it.
  if (r.status == 200)
    check_success(q, data, job);
  else if (q.what->verb == request_verb::remove)
    tell_pods_removed(at(data, "collectors")),
        tell_pods_removed(at(data, "learners"));
  else
    tell_pods_made(q, at(data, "collectors")),
        tell_pods_made(q, at(data, "learners"));
}

void replica_ledger::check_success(const request_record& q, const json& data,
                                   const std::string& job) {
  switch (q.what->verb) {
  case request_verb::list:
    return check_list(q, data, job);
  case request_verb::add:
    return check_additions(q, data);
  case request_verb::remove:
    return check_removals(q, data, job);
  case request_verb::replace:
    return check_replacements(q, data);
  }
}

/// Of a logic learner its processes, too, which no response names.
void replica_ledger::tell_pods_made(const request_record& q, const json& urls) {
  for (const auto& url : urls) {
    auto* pod = find_pod_by_name(pod_of_url(url));
    if (!pod || pod->maker != q.process
        || (pod->told > 0 && pod->told != clock_)) {
      report_("tells of " + text(url) + ", which it has not made for this");
      continue;
    }
    pod->told = clock_;
    auto group = pod->role == "aggregator" ? pod->name : pod->aggregator;
    for (auto& [uid, p] : pods_)
      if (!group.empty() && p.aggregator == group && p.maker == q.process
          && p.told == 0)
        p.told = clock_;
  }
}

void replica_ledger::check_additions(const request_record& q,
                                     const json& data) {
  const auto& what = *q.what;
  const struct {
    const char* side;
    std::int64_t replicas;
    const char* role;
  } sides[] = {{"collectors", what.collectors.replicas, "collector"},
               {"learners", what.learners.replicas,
                what.learners.gpu_count > 1 ? "aggregator" : "learner"}};
  for (const auto& [side, replicas, role] : sides) {
    const auto& urls = at(data, side);
    if (static_cast<std::int64_t>(urls.size()) != replicas)
      report_("is asked for " + std::to_string(replicas) + " " + side
              + ", and tells of" + joined_names(urls));
    tell_pods_made(q, urls);
    for (const auto& url : urls)
      if (const auto* pod = find_pod_by_name(pod_of_url(url))) {
        if (pod->role != role)
          report_("makes " + pod->name + " instead of a " + role);
        if (pod->role == "aggregator")
          check_logic_learner(q, *pod);
      }
  }
}

/// Its processes have all its GPUs, unless somebody has deleted some of them.
void replica_ledger::check_logic_learner(const request_record& q,
                                         const pod_record& aggregator) const {
  int gpus = 0;
  int processes = 0;
  for (const auto& [uid, p] : pods_)
    if (p.aggregator == aggregator.name) {
      ++processes;
      gpus += p.gpus;
      if (p.all_gpus != q.what->learners.gpu_count)
        report_(p.name + " is to be one of " + std::to_string(p.all_gpus)
                + " GPUs");
    }
  if (processes == 0 || gpus != q.what->learners.gpu_count)
    report_("divides " + std::to_string(q.what->learners.gpu_count)
            + " GPUs into " + std::to_string(processes) + " pods with "
            + std::to_string(gpus));
}

void replica_ledger::tell_pods_removed(const json& urls) {
  for (const auto& url : urls) {
    auto* pod = find_pod_by_name(pod_of_url(url));
    if (!pod) {
      report_("tells that " + text(url) + " was deleted, which never was");
      continue;
    }
    if (!pod->gone)
      report_("tells that " + pod->name + " was deleted, which is there");
    pod->removal_told = clock_;
  }
}

void replica_ledger::check_removals(const request_record& q, const json& data,
                                    const std::string& job) {
  const std::pair<const char*, std::int64_t> sides[] = {
      {"collectors", q.what->collectors.replicas},
      {"learners", q.what->learners.replicas}};
  for (const auto& [side, replicas] : sides) {
    const auto& urls = at(data, side);
    auto told = static_cast<std::int64_t>(urls.size());
    tell_pods_removed(urls);
    if (told > replicas)
      report_("is asked to delete " + std::to_string(replicas) + " " + side
              + ", and deletes" + joined_names(urls));
    if (told >= replicas)
      continue;
    // There were no more, but those that a former leader has made since then.
    bool learners = side == std::string{"learners"};
    for (const auto& [uid, p] : pods_)
      if (p.job == job && !p.gone && !p.interfered && p.told > 0
          && p.told < q.sent
          && (learners ? p.role == "learner" || p.role == "aggregator"
                       : p.role == "collector"))
        report_("is asked to delete " + std::to_string(replicas) + " " + side
                + ", deletes" + joined_names(urls) + " only, and leaves "
                + p.name);
  }
  // No process stays without its aggregator.
  for (const auto& url : at(data, "learners"))
    for (const auto& [uid, p] : pods_)
      if (p.aggregator == pod_of_url(url) && !p.gone && !p.interfered
          && p.told > 0 && p.told < q.sent)
        report_("deletes " + p.aggregator + ", and leaves " + p.name);
}

void replica_ledger::check_replacements(const request_record& q,
                                        const json& data) {
  // A group of processes is replaced on the side of its first one.
  std::size_t told = 0;
  for (const char* side : {"collectors", "learners"}) {
    const auto& urls = at(data, side);
    told += urls.size();
    tell_pods_made(q, urls);
  }
  if (told > all_reported_pods(*q.what).size())
    report_("replaces more than was reported: " + data.dump());
  for (const auto& name : all_reported_pods(*q.what))
    if (const auto* pod = find_pod_by_name(name); !pod || !pod->gone)
      report_("tells that " + name + " was replaced, which is there");
}

/// A list contains all that was told before it was asked for.
void replica_ledger::check_list(const request_record& q, const json& data,
                                const std::string& job) const {
  std::set<std::string> listed;
  for (const char* side : {"collectors", "learners"})
    for (const auto& url : at(data, side)) {
      listed.insert(pod_of_url(url));
      if (!find_pod_by_name(pod_of_url(url)))
        report_("lists " + text(url) + ", which never was");
    }
  if (!q.what->aggregator.empty())
    return; // Its processes, with several addresses each.
  for (const auto& [uid, p] : pods_) {
    if (p.job != job || p.role == "ddp-learner")
      continue;
    bool is_listed = listed.count(p.name) > 0;
    if (!is_listed && p.told > 0 && p.told < q.sent && p.removal_told == 0
        && !p.removed && !p.gone && !p.interfered)
      report_("lists no " + p.name + ", of which it has told");
    if (is_listed && p.removal_told > 0 && p.removal_told < q.sent)
      report_("lists " + p.name + ", of whose deletion it has told");
  }
}

} // namespace troupe::simulation
