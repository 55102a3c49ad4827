#include "frameworks/di/requests/replica_request.hpp"

#include "frameworks/core/model/names.hpp"
#include "frameworks/di/base/dijob_pods.hpp"
#include "frameworks/di/requests/replica_response.hpp"
#include "frameworks/di/requests/request_json.hpp"
#include "frameworks/di/requests/request_quantity.hpp"
#include "k8s/text.hpp"

#include <algorithm>
#include <optional>

namespace troupe::frameworks::di {

namespace {

constexpr const char* replicas_path = "/v1alpha1/replicas";
constexpr const char* failed_path = "/v1alpha1/replicas/failed";

/// More at once is a mistake: each costs several calls.
constexpr std::int64_t max_replicas = 1000;
constexpr std::int64_t most_gpus = 10'000;

using type = request_value::type;

/// Reads a request's fields as Go reads a struct: a wrong type is noted, and
/// the first one is reported if nothing worse comes after it.
class field_reader {
public:
  explicit field_reader(const char* structure)
      : structure_(structure) {}

  /// "" if all could be read.
  const std::string& error() const {
    return fatal_.empty() ? first_mismatch_ : fatal_;
  }

  void read(std::string& out, const request_value& v, const std::string& path) {
    if (v.is == type::string)
      out = v.text;
    else
      note_first_type_mismatch(v, structure_, path, "string");
  }

  void read(std::vector<std::string>& out, const request_value& v,
            const std::string& path) {
    if (v.is == type::null) {
      out.clear();
      return;
    }
    if (v.is != type::array) {
      note_first_type_mismatch(v, structure_, path, "[]string");
      return;
    }
    out.assign(v.items.size(), "");
    for (std::size_t i = 0; i < v.items.size(); ++i)
      read(out[i], v.items[i], path);
  }

  void read(replica_amount& out, const request_value& v,
            const std::string& path) {
    if (v.is != type::object) {
      note_first_type_mismatch(v, structure_, path, "types.ResourceQuantity");
      return;
    }
    for (const auto& [key, value] : v.members)
      if (k8s::equal_ignoring_case(key, "replicas"))
        read_integer(out.replicas, value, path + ".replicas");
      else if (k8s::equal_ignoring_case(key, "cpus"))
        read_quantity(out.cpus, value);
      else if (k8s::equal_ignoring_case(key, "memory"))
        read_quantity(out.memory, value);
      else if (k8s::equal_ignoring_case(key, "gpus"))
        out.gpu_count = read_quantity(out.gpus, value);
  }

private:
  void note_first_type_mismatch(const request_value& v,
                                const std::string& structure,
                                const std::string& path,
                                const std::string& wanted) {
    if (v.is == type::null || !first_mismatch_.empty())
      return;
    std::string what = to_string(v.is);
    if (v.is == type::number && wanted == "int")
      what += " " + v.text;
    first_mismatch_ = "json: cannot unmarshal " + what
                      + " into Go struct field " + structure + "." + path
                      + " of type " + wanted;
  }

  void read_integer(std::int64_t& out, const request_value& v,
                    const std::string& path) {
    if (auto number = to_int64(v))
      out = *number;
    else
      note_first_type_mismatch(v, "ResourceQuantity", path, "int");
  }

  /// Returns the amount, rounded up.
  std::int64_t read_quantity(std::string& out, const request_value& v) {
    if (!fatal_.empty())
      return 0;
    auto amount = read_request_quantity(v);
    if (!amount)
      fatal_ = amount.error().message;
    out = amount ? amount->text : "";
    return amount ? amount->rounded_up : 0;
  }

  const char* structure_;
  std::string first_mismatch_;
  std::string fatal_;
};

core::job_response undecodable_response(const std::string& why) {
  return bad_request_response("failed to decode request body: " + why);
}

/// Calls `read(reader, name, value)` for each member of the body.
template <class Read>
std::optional<core::job_response>
read_members(const std::string& body, const char* structure, Read read) {
  auto value = read_request_json(body);
  if (!value)
    return undecodable_response(value.error().message);
  if (value->is != type::object && value->is != type::null)
    return undecodable_response(std::string{"json: cannot unmarshal "}
                                + to_string(value->is)
                                + " into Go value of type types." + structure);
  field_reader fields{structure};
  for (const auto& [key, member] : value->members)
    read(fields, key, member);
  if (!fields.error().empty())
    return undecodable_response(fields.error());
  return std::nullopt;
}

/// What is the same in all bodies, and the members for collectors and learners.
template <class Members>
std::optional<core::job_response>
read_change_request_body(const std::string& body, const char* structure,
                         replica_request& out, Members& collectors,
                         Members& learners) {
  return read_members(body, structure,
                      [&](field_reader& fields, const std::string& key,
                          const request_value& v) {
                        auto is = [&](const char* name) {
                          return k8s::equal_ignoring_case(key, name);
                        };
                        if (is("namespace"))
                          fields.read(out.ns, v, "namespace");
                        else if (is("coordinator"))
                          fields.read(out.coordinator, v, "coordinator");
                        else if (is("collectors"))
                          fields.read(collectors, v, "collectors");
                        else if (is("learners"))
                          fields.read(learners, v, "learners");
                      });
}

std::optional<core::job_response>
amounts_error_response(const replica_request& r) {
  for (const auto* amount : {&r.collectors, &r.learners})
    if (amount->replicas > max_replicas)
      return bad_request_response("replicas: "
                                  + std::to_string(amount->replicas)
                                  + " are too many for one request; ask for "
                                  + std::to_string(max_replicas) + " at most");
  for (const auto* amount : {&r.collectors, &r.learners})
    if (amount->gpu_count > most_gpus)
      return bad_request_response("gpus: " + amount->gpus
                                  + " are too many for one replica; ask for "
                                  + std::to_string(most_gpus) + " at most");
  for (const auto* amount : {&r.collectors, &r.learners})
    for (const auto* quantity : {&amount->cpus, &amount->gpus, &amount->memory})
      if (!quantity->empty() && quantity->front() == '-')
        return bad_request_response(
            "cpus, gpus and memory must not be negative, as " + *quantity
            + " is");
  return std::nullopt;
}

void remove_duplicates(std::vector<std::string>& names) {
  std::vector<std::string> once;
  for (auto& name : names)
    if (std::find(once.begin(), once.end(), name) == once.end())
      once.push_back(std::move(name));
  names = std::move(once);
}

using decoded = std::variant<replica_request_ptr, core::job_response>;

decoded decode_list_request(const http_request& q, replica_request request) {
  std::map<std::string, std::string> query;
  for (const auto& [key, value] : q.query)
    query.emplace(k8s::lower_case(key), value);
  for (const auto& [key, value] : query)
    if (key != "namespace" && key != "coordinator" && key != "aggregator"
        && key != "name")
      return core::job_response{
          400, "request param " + key + " is not supported", "null"};
  auto& ns = query["namespace"];
  if (ns.empty())
    return std::make_shared<const replica_request>(std::move(request));
  if (query.count("name") > 0)
    return core::job_response{200, success_message(request_verb::list), "null"};
  request.ns = ns;
  request.coordinator = query["coordinator"];
  if (request.coordinator.empty())
    request.aggregator = query["aggregator"];
  return std::make_shared<const replica_request>(std::move(request));
}

decoded decode_change_request(const http_request& q, replica_request request) {
  request.verb = q.method == "POST" ? request_verb::add : request_verb::remove;
  if (auto wrong =
          read_change_request_body(q.body, "DIJobRequest", request,
                                   request.collectors, request.learners))
    return *wrong;
  if (request.verb == request_verb::add)
    if (auto wrong = amounts_error_response(request))
      return *wrong;
  if (request.coordinator.empty())
    return pod_not_found_response(request.ns, request.coordinator,
                                  unchanged_entry_json());
  return std::make_shared<const replica_request>(std::move(request));
}

decoded decode_failed_replicas_report(const http_request& q,
                                      replica_request request) {
  request.verb = request_verb::replace;
  if (auto wrong = read_change_request_body(q.body, "DIJobResponse", request,
                                            request.failed_collectors,
                                            request.failed_learners))
    return *wrong;
  remove_duplicates(request.failed_collectors);
  remove_duplicates(request.failed_learners);
  if (request.failed_collectors.empty() && request.failed_learners.empty())
    return core::job_response{
        200, success_message(request.verb),
        to_json_text({request.ns, request.coordinator, {}, {}})};
  return std::make_shared<const replica_request>(std::move(request));
}

} // namespace

std::vector<std::string> all_reported_pods(const replica_request& q) {
  auto result = q.failed_collectors;
  result.insert(result.end(), q.failed_learners.begin(),
                q.failed_learners.end());
  return result;
}

bool is_reported_pod(const replica_request& q, const std::string& pod) {
  auto has = [&](const std::vector<std::string>& names) {
    return std::find(names.begin(), names.end(), pod) != names.end();
  };
  return has(q.failed_collectors) || has(q.failed_learners);
}

const std::string& replica_request::job_lookup_pod() const {
  if (verb == request_verb::list)
    return coordinator.empty() ? aggregator : coordinator;
  // Whom a report comes from was never checked; what it names was.
  if (verb == request_verb::replace)
    return failed_collectors.empty() ? failed_learners.front()
                                     : failed_collectors.front();
  return coordinator;
}

std::variant<replica_request_ptr, core::job_response>
decode_replica_request(const http_request& q, const std::string& source) {
  replica_request request;
  request.source = source;
  if (q.path == replicas_path && q.method == "GET")
    return decode_list_request(q, std::move(request));
  if (q.path == replicas_path && (q.method == "POST" || q.method == "DELETE"))
    return decode_change_request(q, std::move(request));
  if (q.path == failed_path && q.method == "POST")
    return decode_failed_replicas_report(q, std::move(request));
  return core::job_response{501, q.method + " not implemented", "null"};
}

std::vector<std::string> possible_jobs_of_pod(const std::string& pod) {
  std::vector<std::string> result;
  auto add_without = [&](const std::string& end) {
    if (pod.size() > end.size()
        && pod.compare(pod.size() - end.size(), end.size(), end) == 0)
      result.push_back(pod.substr(0, pod.size() - end.size()));
  };
  add_without(std::string{"-"} + role::coordinator);
  if (auto index = core::index_from_random_name(pod); index >= 0)
    for (const char* role :
         {role::ddp_learner, role::learner, role::collector, role::aggregator})
      add_without(std::string{"-"} + role + "-"
                  + core::letter_suffix_of_index(index));
  return result;
}

bool is_replica_path(const std::string& path) {
  return path == replicas_path || path == failed_path;
}

} // namespace troupe::frameworks::di
