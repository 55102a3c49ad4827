#include "frameworks/core/queueing/queue_rules.hpp"

#include "frameworks/core/base/json.hpp"
#include "frameworks/core/model/names.hpp"
#include "k8s/text.hpp"

#include <algorithm>

namespace troupe::core {

namespace {

bool is_positive_integer(const std::string& text) {
  return !text.empty() && text.size() <= 9
         && text.find_first_not_of("0123456789") == std::string::npos
         && text.find_first_not_of('0') != std::string::npos;
}

std::string field_of_label(const char* key) {
  return std::string{"metadata.labels["} + key + "]";
}

/// One job as it is written, or was.
struct side {
  explicit side(const written_queueing& w)
      : labels(*w.labels)
      , spec(parse_json_or_null(w.spec))
      , suspended(bool_at(spec, {"runPolicy", "suspend"})) {}

  std::string label(const char* key) const { return text_at(labels, {key}); }

  const json& labels;
  json spec;
  bool suspended;
};

class rule_checker {
public:
  rule_checker(const side& job, const side* old)
      : job_(job)
      , old_(old) {}

  std::vector<field_error> check(const framework& kind) {
    check_queue();
    check_longest_run();
    check_priority();
    check_topology(kind);
    return std::move(errors_);
  }

private:
  std::string old_label(const char* key) const {
    return old_ ? old_->label(key) : "";
  }

  void add(const char* key, std::string text) {
    errors_.push_back({field_of_label(key), std::move(text)});
  }

  void check_queue() {
    auto now = job_.label(label::kueue_queue);
    auto before = old_label(label::kueue_queue);
    if (now == before)
      return;
    if (!now.empty() && !k8s::is_dns_subdomain(now))
      add(label::kueue_queue,
          "Invalid value: \"" + now
              + "\": must be the name of a LocalQueue, a DNS subdomain");
    else if (old_ && !job_.suspended)
      add(label::kueue_queue,
          "Forbidden: must not change while the job is not suspended; set "
          "spec.active of its Workload to false first, or make the job anew");
  }

  void check_longest_run() {
    auto now = job_.label(label::kueue_longest_run);
    if (now == old_label(label::kueue_longest_run))
      return;
    bool is_there = job_.labels.is_object()
                    && job_.labels.contains(label::kueue_longest_run);
    if (is_there && !is_positive_integer(now))
      add(label::kueue_longest_run,
          "Invalid value: \"" + now
              + "\": must be a number of seconds, an integer greater than 0");
    else if (old_ && !(job_.suspended && old_->suspended))
      add(label::kueue_longest_run,
          "Forbidden: must not change while the job is not suspended; set "
          "spec.active of its Workload to false first");
  }

  void check_priority() {
    auto now = job_.label(label::kueue_priority);
    auto before = old_label(label::kueue_priority);
    if (!old_ || now == before)
      return;
    if (now.empty())
      add(label::kueue_priority, "Forbidden: must not be removed; name another "
                                 "WorkloadPriorityClass, or make the job anew");
    else if (before.empty() && !job_.suspended)
      add(label::kueue_priority,
          "Forbidden: must not be added while the job is not suspended; set "
          "spec.active of its Workload to false first");
  }

  static int count_topologies(const json& spec, const framework& kind,
                              const std::string& type) {
    const auto& annotations =
        value_at(spec, {kind.names.spec_field, type.c_str(), "template",
                        "metadata", "annotations"});
    int count = 0;
    for (const char* key :
         {label::kueue_required_topology, label::kueue_preferred_topology,
          label::kueue_any_topology})
      count += annotations.is_object() && annotations.contains(key) ? 1 : 0;
    return count;
  }

  void check_topology(const framework& kind) {
    const auto& types = value_at(job_.spec, {kind.names.spec_field});
    if (!types.is_object())
      return;
    for (const auto& entry : types.items())
      if (count_topologies(job_.spec, kind, entry.key()) > 1
          && !(old_ && count_topologies(old_->spec, kind, entry.key()) > 1))
        errors_.push_back({std::string{"spec."} + kind.names.spec_field + "["
                               + entry.key()
                               + "].template.metadata.annotations",
                           std::string{"Invalid value: at most one of "}
                               + label::kueue_required_topology + ", "
                               + label::kueue_preferred_topology + " and "
                               + label::kueue_any_topology + " may be there"});
  }

  const side& job_;
  const side* old_;
  std::vector<field_error> errors_;
};

} // namespace

std::vector<field_error> find_queueing_errors(const framework& kind,
                                              const written_queueing& job,
                                              const written_queueing& old) {
  auto has_queue = [](const written_queueing& w) {
    return w.labels && !text_at(*w.labels, {label::kueue_queue}).empty();
  };
  if (!has_queue(job) && !has_queue(old))
    return {};
  side now{job};
  if (!old.labels)
    return rule_checker{now, nullptr}.check(kind);
  side before{old};
  return rule_checker{now, &before}.check(kind);
}

} // namespace troupe::core
