// The part of the admin actor that shows logs of pods.

#include "actors/admin/admin.hpp"
#include "actors/admin/admin_responses.hpp"
#include "k8s/calls.hpp"
#include "k8s/json.hpp"

namespace troupe::actors {

namespace {

int http_status_of_failure(const k8s::failure& why) {
  switch (why.code) {
  case k8s::ec::not_found:
    return 404;
  case k8s::ec::forbidden:
    return 403;
  case k8s::ec::overloaded:
    return 503;
  case k8s::ec::timeout:
    return 504;
  case k8s::ec::invalid:
    return 400;
  default:
    return 502;
  }
}

k8s::http::response refusal_response(const k8s::failure& why) {
  auto r = make_error_response(http_status_of_failure(why), why.message);
  if (why.code == k8s::ec::overloaded)
    r.headers["Retry-After"] = "5";
  return r;
}

} // namespace

void admin_state::open_pod_log(const admin_target& target,
                               const admin_request& r) {
  auto query = parse_log_query(r.request);
  if (!query)
    return r.back->reply(refusal_response(query.error()));
  auto opened = logs_.open_stream(
      {r.back, r.request.peer, target.ns, target.pod, std::move(*query)});
  if (!opened)
    return r.back->reply(refusal_response(opened.error()));
  auto stream = *opened;
  r.back->on_disconnect([me = admin_actor{self_}, stream] {
    caf::anon_send(me, log_stream_closed{stream});
  });
  if (!timer_set_)
    schedule_stream_poll();
  self_
      ->request(config_.root, answer_limit,
                get_job_report{target.ns, target.kind, target.name})
      .then(
          [this, stream, target](const report_ptr& report) {
            if (!report)
              return logs_.refuse_and_close(
                  stream,
                  make_error_response(404, target.kind + " " + target.ns + "/"
                                               + target.name + " not found"));
            read_pod_if_of_job(stream, *report);
          },
          [this, stream](caf::error&) {
            logs_.refuse_and_close(
                stream, make_error_response(504, "the actors did not answer "
                                                 "in time"));
          });
}

/// Only a pod of the job is asked for: the operator's rights are nobody's way
/// to the logs of others.
void admin_state::read_pod_if_of_job(std::uint64_t stream,
                                     const nlohmann::json& report) {
  auto* s = logs_.find(stream);
  if (!s)
    return;
  auto known = find_logged_pod(report, s->pod);
  if (!known)
    return logs_.refuse_and_close(stream, refusal_response(known.error()));
  s->known = std::move(*known);
  config_.client->send(
      k8s::get({k8s::resources::pods, s->ns, s->pod}), answer_limit,
      [me = admin_actor{self_}, stream](k8s::result<std::string> pod) {
        caf::anon_send(
            me, logged_pod_read{
                    stream, std::make_shared<const k8s::result<std::string>>(
                                std::move(pod))});
      });
}

void admin_state::on_logged_pod_read(const logged_pod_read& answer) {
  auto* s = logs_.find(answer.stream);
  if (!s)
    return;
  const auto& pod = *answer.pod;
  if (!pod)
    return logs_.refuse_and_close(answer.stream, refusal_response(pod.error()));
  auto choice = choose_log_container(k8s::parse_json_or_null(*pod), s->known,
                                     s->query.container);
  if (!choice)
    return logs_.refuse_and_close(answer.stream,
                                  refusal_response(choice.error()));
  logs_.start_log(answer.stream, *choice, *config_.client,
                  [me = admin_actor{self_}, stream = answer.stream] {
                    caf::anon_send(me, log_stream_closed{stream});
                  });
}

void admin_state::on_log_stream_closed(const log_stream_closed& s) {
  logs_.close_stream(s.stream);
}

} // namespace troupe::actors
