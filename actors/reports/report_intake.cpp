#include "actors/reports/report_intake.hpp"

#include "config/logging.hpp"
#include "frameworks/core/spec/progress_report.hpp"
#include "frameworks/core/spec/validation.hpp"

#include <nlohmann/json.hpp>

#include <utility>

namespace troupe::actors {

namespace {

namespace http = k8s::http;

/// Clients wait for five seconds.
constexpr std::chrono::seconds job_patience{4};
/// On a report that another replica has forwarded: it goes no further.
constexpr const char* forwarded_mark = "x-troupe-forwarded";

http::response unavailable_response(const std::string& why) {
  auto r = status_response(503, "ServiceUnavailable", why);
  r.headers["Retry-After"] = "5";
  return r;
}

http::response to_http_response(const report_answer& a) {
  if (a.status != 200)
    return a.status == 403
               ? not_a_pod_of_job_response()
               : status_response(a.status,
                                 a.status == 404 ? "NotFound"
                                                 : "ServiceUnavailable",
                                 a.message);
  http::response r;
  r.body = core::taken_report_json(*a.taken);
  return r;
}

} // namespace

void report_route::set_intake(report_intake_actor who) {
  std::lock_guard guard{lock_};
  who_ = std::move(who);
}

void report_route::set_authority(std::string pem) {
  if (!authority_->set(std::move(pem)))
    return;
  std::lock_guard guard{lock_};
  if (who_)
    caf::anon_send(who_, atom::report_authority::value);
}

void report_route::forward_to_leader(
    std::shared_ptr<const report_leader> leader, std::string server_name) {
  std::lock_guard guard{lock_};
  leader_ = std::move(leader);
  server_name_ = std::move(server_name);
  others_ = http::make_request_forwarder(job_patience);
}

void report_route::answer(const http::request& q,
                          const http::response_writer_ptr& back) {
  auto decoded = decode_report_request(q);
  if (auto* refusal = std::get_if<http::response>(&decoded)) {
    refusal->headers["Connection"] = "close";
    back->reply(std::move(*refusal));
    return;
  }
  if (auto counted = under_way_.add_or_null(back))
    return answer_counted(q, std::get<report_request>(std::move(decoded)),
                          counted);
  note_missed();
  auto r = unavailable_response("too many pods report now; report later");
  r.headers["Connection"] = "close";
  back->reply(std::move(r));
}

void report_route::answer_counted(const http::request& q, report_request report,
                                  const http::response_writer_ptr& back) {
  std::lock_guard guard{lock_};
  auto leader =
      leader_ ? leader_->current_place() : report_leader::place{true, {}};
  if (leader.here)
    send_to_intake(std::move(report), back);
  else if (leader.address.empty() || q.headers.count(forwarded_mark) > 0)
    miss(back, "no replica of the operator leads; report later");
  else
    forward(leader.address, q, report.token, back);
}

void report_route::send_to_intake(report_request report,
                                  const http::response_writer_ptr& back) {
  if (!who_)
    miss(back, "the operator is starting or ending; report later");
  else
    caf::anon_send(who_, report_call{std::make_shared<const report_request>(
                                         std::move(report)),
                                     back});
}

// This replica may lead soon, or still.
void report_route::note_missed() {
  authority_->note_missed(std::chrono::system_clock::now());
}

void report_route::miss(const http::response_writer_ptr& back,
                        const std::string& why) {
  note_missed();
  back->reply(unavailable_response(why));
}

void report_route::forward(const std::string& address, const http::request& q,
                           const std::string& token,
                           const http::response_writer_ptr& back) {
  auto authorities = authority_->text();
  if (authorities.empty()) // Without them it would go in plain text.
    return miss(back, "the operator has no certificate yet; report later");
  others_->forward(
      {address, std::move(authorities), server_name_}, q,
      {{"authorization", "Bearer " + token}, {forwarded_mark, "1"}},
      unavailable_response("the replica of the operator that "
                           "leads did not respond; report later"),
      back);
}

report_intake_state::~report_intake_state() {
  if (config_.route)
    config_.route->set_intake({});
}

void report_intake_state::init(context_ptr context, report_intake_config config,
                               directory_shards directories) {
  context_ = std::move(context);
  config_ = std::move(config);
  directories_ = std::move(directories);
}

void report_intake_state::on_report(const report_call& call) {
  const auto& q = *call.request;
  if (reviews_.knows(q.token, q.audience(), std::chrono::steady_clock::now()))
    review(call, {});
  else
    ask_job_about_claimed_pod(call);
}

std::vector<const core::framework*>
report_intake_state::kinds_named_by(const report_request& q) const {
  std::vector<const core::framework*> result;
  for (const auto* kind : config_.kinds)
    if (kind->names.type.plural == q.plural)
      result.push_back(kind);
  return result;
}

// Anybody may send a token; only what may be a pod's costs the API server a
// review.
void report_intake_state::ask_job_about_claimed_pod(const report_call& call) {
  const auto& q = *call.request;
  report_to_job question;
  question.kinds = kinds_named_by(q);
  question.ns = q.ns;
  question.name = q.name;
  question.pod_uid = claimed_pod_uid(q.token, q.audience());
  question.asks = true;
  if (question.kinds.empty() || question.pod_uid.empty())
    return refuse(call);
  const auto& directory = directories_.directory_of_job(
      q.ns, question.kinds.front()->names.type.kind, q.name);
  auto uid = question.pod_uid;
  self_->request(directory, job_patience, std::move(question))
      .then([this, call, uid](
                const report_answer& a) { on_job_answer(call, uid, a.status); },
            [this, call](caf::error&) {
              miss(call, "the operator did not take the report in time");
            });
}

void report_intake_state::on_job_answer(const report_call& call,
                                        std::string pod_uid, int status) {
  bool was_taken = pace_.was_taken(pod_uid, call.request->audience());
  switch (judge_claim(status, was_taken)) {
  case claim_verdict::review:
    return review(call, {std::move(pod_uid), false});
  case claim_verdict::review_as_of_gone_job:
    return review(call, {std::move(pod_uid), true});
  case claim_verdict::refuse:
    return refuse(call);
  case claim_verdict::later:
    return miss(call, "the operator has just started; report later");
  }
}

void report_intake_state::review(const report_call& call,
                                 const claimed_pod& claimed) {
  using next = token_reviews::next;
  const auto& q = *call.request;
  auto number = next_call_++;
  auto step = reviews_.on_report(number, q.token, q.audience(), claimed,
                                 std::chrono::steady_clock::now());
  switch (step.what) {
  case next::refuse:
    return refuse(call);
  case next::busy:
    return miss(call, "too many tokens are to be reviewed; report later");
  case next::pass:
    return pass_to_job(call, step.pod);
  case next::wait:
    waiting_.emplace(number, call);
    return;
  case next::ask:
    waiting_.emplace(number, call);
    audiences_.emplace(step.review, q.audience());
    self_->send(context_->gateway_for(""),
                api_call{step.review,
                         token_review_request(q.token, q.audience()), "",
                         call_priority::normal,
                         caf::actor_cast<api_caller_actor>(self_)});
    return;
  }
}

void report_intake_state::on_token_reviewed(const api_response& a) {
  auto audience = audiences_.find(a.tag);
  if (audience == audiences_.end())
    return;
  auto about = std::move(audience->second);
  audiences_.erase(audience);
  using review = k8s::result<std::optional<reviewed_pod>>;
  const auto pod = *a.outcome ? read_token_review(**a.outcome, about)
                              : review{a.outcome->error()};
  std::vector<std::uint64_t> reports;
  if (pod) {
    reports =
        reviews_.on_reviewed(a.tag, *pod, std::chrono::steady_clock::now());
  } else {
    log::warn("a token of a pod that reports cannot be reviewed",
              {{"why", pod.error().message}});
    reports = reviews_.on_review_failed(a.tag);
  }
  for (auto number : reports) {
    auto call = waiting_.extract(number);
    if (call.empty())
      continue;
    if (!pod)
      miss(call.mapped(),
           "the API server did not say whose token this is; report later");
    else if (*pod)
      pass_to_job(call.mapped(), **pod);
    else
      refuse(call.mapped());
  }
}

void report_intake_state::on_authority_changed() {
  for (const auto& directory : directories_.all())
    self_->send(directory, atom::report_authority::value);
}

void report_intake_state::refuse(const report_call& call) {
  ++refused_;
  call.writer->reply(not_a_pod_of_job_response());
}

void report_intake_state::miss(const report_call& call,
                               const std::string& why) {
  if (config_.route)
    config_.route->authority()->note_missed(context_->clock());
  call.writer->reply(unavailable_response(why));
}

void report_intake_state::pass_to_job(const report_call& call,
                                      const reviewed_pod& pod) {
  const auto& q = *call.request;
  report_to_job to;
  to.kinds = kinds_named_by(q);
  if (pod.ns != q.ns || to.kinds.empty())
    return refuse(call);
  if (!pace_.admit(pod.uid, std::chrono::steady_clock::now()))
    return call.writer->reply(too_many_reports_response());
  auto read = core::read_progress_report(q.body);
  if (!read.errors.empty())
    return call.writer->reply(
        status_response(422, "Invalid", core::to_string(read.errors)));
  to.ns = q.ns;
  to.name = q.name;
  to.pod_uid = pod.uid;
  to.progress = std::move(read.progress);
  const auto& directory = directories_.directory_of_job(
      q.ns, to.kinds.front()->names.type.kind, q.name);
  self_->request(directory, job_patience, std::move(to))
      .then(
          [this, call, uid = pod.uid](const report_answer& a) {
            auto about = call.request->audience();
            if (a.status == 200)
              pace_.note_taken(uid, about);
            // Of a job that has gone only its own pods hear that.
            if (a.status == 404 && !pace_.was_taken(uid, about))
              return refuse(call);
            ++(a.status == 200 ? taken_ : refused_);
            call.writer->reply(to_http_response(a));
          },
          [this, call](caf::error&) {
            miss(call, "the operator did not take the report in time");
          });
}

report_ptr report_intake_state::report() const {
  return std::make_shared<const nlohmann::json>(
      own_report(*self_, {{"taken", taken_},
                          {"refused", refused_},
                          {"reviewsKept", reviews_.kept()},
                          {"reviewsUnderWay", reviews_.asked()}}));
}

report_intake_actor::behavior_type
report_intake(self_pointer<report_intake_actor, report_intake_state> self,
              context_ptr context, report_intake_config config,
              directory_shards directories) {
  self->state.init(std::move(context), std::move(config),
                   std::move(directories));
  return {
      [self](get_report) { return self->state.report(); },
      [self](get_tree) { return self->state.report(); },
      [self](const report_call& c) { self->state.on_report(c); },
      [self](atom::report_authority) { self->state.on_authority_changed(); },
      [self](const api_response& a) { self->state.on_token_reviewed(a); },
  };
}

} // namespace troupe::actors
