#include "actors/reports/token_reviews.hpp"

#include "k8s/calls.hpp"
#include "k8s/general/digest.hpp"
#include "k8s/json.hpp"

#include <algorithm>
#include <utility>

namespace troupe::actors {

namespace {

using k8s::array_at;
using k8s::bool_at;
using k8s::json;
using k8s::text_at;
using k8s::value_at;

const k8s::resource reviews{"authentication.k8s.io", "v1", "tokenreviews",
                            "TokenReview"};
constexpr const char* pod_uid_key = "authentication.kubernetes.io/pod-uid";

/// The namespace in "system:serviceaccount:NS:NAME"; "" of another user.
std::string account_namespace_or_empty(const std::string& user) {
  constexpr std::string_view prefix = "system:serviceaccount:";
  if (user.compare(0, prefix.size(), prefix) != 0)
    return {};
  auto rest = user.substr(prefix.size());
  return rest.substr(0, rest.find(':'));
}

std::string hash_of(const std::string& token, const std::string& audience) {
  return k8s::sha256_hex(token + "\n" + audience);
}

bool has_text(const json& list, const std::string& text) {
  return list.is_array()
         && std::find(list.begin(), list.end(), text) != list.end();
}

} // namespace

k8s::request token_review_request(const std::string& token,
                                  const std::string& audience) {
  json body{{"apiVersion", reviews.api_version()}, {"kind", reviews.kind}};
  body["spec"]["token"] = token;
  body["spec"]["audiences"].push_back(audience);
  return k8s::create(reviews, "", k8s::to_text(body));
}

k8s::result<std::optional<reviewed_pod>>
read_token_review(const std::string& answer, const std::string& audience) {
  const std::optional<reviewed_pod> nobody;
  auto review = k8s::parse_json_or_null(answer);
  const auto& status = value_at(review, {"status"});
  if (!status.is_object())
    return k8s::failure{
        k8s::ec::garbage, "the answer is no review of a token", {}};
  // Without the audience in the answer the server does not know of audiences.
  if (!bool_at(status, {"authenticated"})
      || !has_text(value_at(status, {"audiences"}), audience))
    return nobody;
  reviewed_pod pod;
  pod.ns = account_namespace_or_empty(text_at(status, {"user", "username"}));
  const auto& uids = array_at(status, {"user", "extra", pod_uid_key});
  if (uids.size() == 1 && uids[0].is_string())
    pod.uid = uids[0].get<std::string>();
  if (pod.ns.empty() || pod.uid.empty())
    return nobody;
  return std::optional<reviewed_pod>{std::move(pod)};
}

void token_reviews::forget_old_entries(time_point now) {
  while (!by_age_.empty()
         && (by_age_.front().first <= now || entries_.size() >= most_kept)) {
    auto i = entries_.find(by_age_.front().second);
    if (i != entries_.end() && i->second.review == 0
        && i->second.until == by_age_.front().first)
      entries_.erase(i);
    by_age_.pop_front();
  }
}

bool token_reviews::budget::take(time_point now) {
  if (now - second_began >= std::chrono::seconds{1}) {
    second_began = now;
    asked_in_second = 0;
  }
  if (asked >= most || asked_in_second >= most_per_second)
    return false;
  ++asked_in_second;
  ++asked;
  return true;
}

token_reviews::next token_reviews::may_ask(const std::string& hash,
                                           const claimed_pod& claimed,
                                           time_point now) {
  if (claimed.of_gone_job)
    return gone_.take(now) ? next::ask : next::refuse;
  if (!pods_.was_taken(claimed.uid, hash) && !pods_.admit(claimed.uid, now))
    return next::refuse;
  return living_.take(now) ? next::ask : next::busy;
}

bool token_reviews::knows(const std::string& token, const std::string& audience,
                          time_point now) {
  forget_old_entries(now);
  return entries_.count(hash_of(token, audience)) > 0;
}

token_reviews::step token_reviews::on_report(std::uint64_t report,
                                             const std::string& token,
                                             const std::string& audience,
                                             const claimed_pod& claimed,
                                             time_point now) {
  forget_old_entries(now);
  auto hash = hash_of(token, audience);
  auto found = entries_.find(hash);
  if (found == entries_.end()) {
    if (auto what = may_ask(hash, claimed, now); what != next::ask)
      return {what, 0, {}};
    auto& added = entries_[hash];
    added.of_gone_job = claimed.of_gone_job;
    added.review = next_review_++;
    added.waiting.push_back(report);
    asked_.emplace(added.review, std::move(hash));
    return {next::ask, added.review, {}};
  }
  auto& known = found->second;
  if (known.review != 0) {
    if (known.waiting.size() >= most_waiting_per_token)
      return {};
    known.waiting.push_back(report);
    return {next::wait, 0, {}};
  }
  if (!known.pod)
    return {next::refuse, 0, {}};
  return {next::pass, 0, *known.pod};
}

std::vector<std::uint64_t>
token_reviews::on_reviewed(std::uint64_t review,
                           const std::optional<reviewed_pod>& pod,
                           time_point now) {
  auto asked = asked_.find(review);
  if (asked == asked_.end())
    return {};
  auto& known = entries_[asked->second];
  known.pod = pod;
  known.review = 0;
  known.until = now + keep_period;
  --budget_of(known.of_gone_job).asked;
  if (pod)
    pods_.note_taken(pod->uid, asked->second);
  by_age_.emplace_back(known.until, std::move(asked->second));
  asked_.erase(asked);
  return std::exchange(known.waiting, {});
}

std::vector<std::uint64_t>
token_reviews::on_review_failed(std::uint64_t review) {
  auto asked = asked_.find(review);
  if (asked == asked_.end())
    return {};
  auto known = entries_.find(asked->second);
  auto waiting = std::move(known->second.waiting);
  --budget_of(known->second.of_gone_job).asked;
  entries_.erase(known);
  asked_.erase(asked);
  return waiting;
}

} // namespace troupe::actors
