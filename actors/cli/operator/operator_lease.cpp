#include "actors/cli/operator/operator_lease.hpp"

#include "actors/cli/base/send_and_wait.hpp"
#include "actors/cli/operator/pod_namespace.hpp"
#include "actors/leadership/operator_identity.hpp"
#include "config/logging.hpp"
#include "k8s/json.hpp"

namespace troupe::cli {

namespace {

using k8s::json;
using std::chrono::milliseconds;

/// Of a Lease that only shows that an operator runs: shorter, because nobody
/// waits for it but an operator that starts.
constexpr actors::lease_times unelected_lease_times{
    milliseconds{6'000}, milliseconds{4'000}, milliseconds{2'000}};

/// The pod's namespace; outside of a cluster the one that the operator is
/// limited to, if it is one.
std::string lease_namespace(const config::settings& s) {
  if (!s.leader_election_namespace.empty())
    return s.leader_election_namespace;
  if (auto ns = pod_namespace(config::process_environment()); !ns.empty())
    return ns;
  bool one = !s.ns.empty() && s.ns.find(',') == std::string::npos;
  return one ? s.ns : "default";
}

/// Whether this account may do that with Leases; every account may ask.
bool is_lease_verb_allowed(k8s::api& client, const char* verb,
                           const k8s::object_ref& lease) {
  const k8s::resource reviews{"authorization.k8s.io", "v1",
                              "selfsubjectaccessreviews",
                              "SelfSubjectAccessReview"};
  json review{{"apiVersion", reviews.api_version()},
              {"kind", reviews.kind},
              {"spec",
               {{"resourceAttributes",
                 {{"namespace", lease.ns},
                  {"name", lease.name},
                  {"verb", verb},
                  {"group", lease.type.group},
                  {"resource", lease.type.plural}}}}}};
  auto answer =
      send_and_wait(client, k8s::create(reviews, "", k8s::to_text(review)));
  return answer && k8s::bool_at(*answer, {"status", "allowed"});
}

k8s::failure other_operator_failure(const k8s::object_ref& lease,
                                    const std::string& holder) {
  return {k8s::ec::conflict,
          "another operator runs: " + holder + " holds the Lease " + lease.ns
              + "/" + lease.name
              + ". Give both --leader-elect; or, if no job belongs to both of "
                "them, give this one --ignore-lease"};
}

/// Fails if another process renews the Lease.
k8s::result<k8s::nothing>
wait_and_fail_if_lease_renewed(k8s::api& client, const k8s::object_ref& lease,
                               const std::function<bool(milliseconds)>& wait) {
  constexpr milliseconds pause{500};
  std::string first;
  for (milliseconds waited{0};; waited += pause) {
    auto answer = send_and_wait(client, k8s::get(lease));
    if (!answer)
      return k8s::nothing{}; // It does not exist, or nobody can say yet.
    const auto& holder = k8s::text_at(*answer, {"spec", "holderIdentity"});
    const auto& renewed = k8s::text_at(*answer, {"spec", "renewTime"});
    if (holder.empty() || actors::take_proof_of_operator_end(holder))
      return k8s::nothing{};
    if (waited == milliseconds{0}) {
      first = renewed;
      log::info(
          "lease is held by another operator, waiting to see whether it is "
          "renewed",
          {{"lease", lease.ns + "/" + lease.name}, {"holder", holder}});
    } else if (renewed != first) {
      return other_operator_failure(lease, holder);
    }
    std::chrono::seconds valid{
        k8s::number_at(*answer, {"spec", "leaseDurationSeconds"})};
    if (waited >= valid)
      return k8s::nothing{};
    if (!wait(pause))
      return k8s::failure{k8s::ec::cancelled, "stopped"};
  }
}

} // namespace

k8s::result<std::optional<actors::election_config>>
election_unless_other_operator_runs(
    k8s::api& client, const config::settings& s,
    const std::function<bool(milliseconds)>& wait) {
  using result = std::optional<actors::election_config>;
  actors::election_config c;
  c.required = s.leader_elect;
  c.lease.lease = {k8s::resources::leases, lease_namespace(s),
                   s.leader_election_id};
  auto identity = std::make_shared<actors::operator_identity>();
  c.lease.identity = identity->text();
  c.lease.change_identity = [identity] {
    identity->take_new_identity();
    return identity->text();
  };
  c.lease.claiming = [identity] { identity->mark_proof_as_claimed(); };
  c.lease.has_ended = [](const std::string& other) {
    return actors::take_proof_of_operator_end(other);
  };
  if (s.leader_elect) {
    c.lease.times = {s.lease_duration, s.lease_renew_deadline,
                     s.lease_retry_period};
    return result{std::move(c)};
  }
  if (s.ignore_lease)
    return result{};
  for (const char* verb : {"get", "create", "update"})
    if (!is_lease_verb_allowed(client, verb, c.lease.lease))
      return result{};
  c.lease.times = unelected_lease_times;
  if (auto free = wait_and_fail_if_lease_renewed(client, c.lease.lease, wait);
      !free)
    return free.error();
  return result{std::move(c)};
}

} // namespace troupe::cli
