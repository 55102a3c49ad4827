#include "actors/admin/admin.hpp"

#include "actors/admin/admin_responses.hpp"
#include "actors/admin/log_levels.hpp"
#include "actors/admin/page_files.hpp"
#include "actors/admin/text/explain_text.hpp"
#include "config/logging.hpp"
#include "k8s/text.hpp"

#include <nlohmann/json.hpp>

namespace troupe::actors {

namespace {

bool is_read_method(const std::string& method) {
  return method == "GET" || method == "HEAD";
}

/// `words` is "GET, HEAD".
bool is_listed_method(const std::string& word, const std::string& words) {
  return (" " + words + ",").find(" " + word + ",") != std::string::npos;
}

/// What the actors that were asked answer in case of an error.
auto make_timeout_handler(const k8s::http::response_writer_ptr& back) {
  return [back](caf::error&) {
    back->reply(make_error_response(504, "the actors did not answer in time"));
  };
}

} // namespace

void admin_state::on_request(const admin_request& r) {
  const auto& q = r.request;
  if (auto refusal = cross_site_rejection(q))
    return r.back->reply(std::move(*refusal));
  if (auto file = page_file_response(q.path))
    return r.back->reply(is_read_method(q.method)
                             ? std::move(*file)
                             : make_method_not_allowed_response("GET, HEAD"));
  auto target = parse_admin_path(q.path);
  if (!target)
    return r.back->reply(make_error_response(404,
                                             "nothing is served at this path; "
                                             "/admin/v1 lists what there is"));
  if (auto allowed = allowed_methods_of(target->subject);
      !is_listed_method(q.method, allowed))
    return r.back->reply(make_method_not_allowed_response(allowed));
  route_request(*target, r);
}

void admin_state::route_request(const admin_target& target,
                                const admin_request& r) {
  get_job_report which{target.ns, target.kind, target.name};
  switch (target.subject) {
  case admin_subject::index:
    return r.back->reply(make_json_response(200, admin_path_index()));
  case admin_subject::job_list:
    return reply_with_job_list(r.back);
  case admin_subject::job:
    return reply_with_job(r.back, which, false);
  case admin_subject::explanation:
    return reply_with_job(r.back, which, true);
  case admin_subject::pod_log:
    return open_pod_log(target, r);
  case admin_subject::actors:
    return reply_with_actor_tree(r.back);
  case admin_subject::watchers:
    return reply_with_watchers(r.back);
  case admin_subject::settings:
    return r.back->reply(make_json_response(200, config_.settings()));
  case admin_subject::cluster:
    return r.back->reply(
        make_json_response(200, {{"apiServer", config_.api_server}}));
  case admin_subject::log_level:
    return read_or_change_log_levels(r);
  case admin_subject::stream:
    return open_event_stream(r);
  }
}

void admin_state::read_or_change_log_levels(const admin_request& r) {
  if (r.request.method == "PUT") {
    auto change = parse_log_level_change(r.request.body);
    if (!change)
      return r.back->reply(make_error_response(400, change.error().message));
    apply_log_level_change(*change);
    log::warn(
        "log level changed through the admin endpoint",
        {{"component", change->component.empty() ? "all" : change->component},
         {"level",
          change->level ? log::to_string(*change->level) : "default"}});
  }
  r.back->reply(make_json_response(200, to_json(log::current_levels())));
}

void admin_state::reply_with_job_list(const writer& back) {
  self_->request(config_.jobs, answer_limit, get_job_changes{})
      .then(
          [this, back](const job_changes_ptr& all) {
            back->reply(
                make_json_response(200, to_json(*all, config_.clock())));
          },
          make_timeout_handler(back));
}

void admin_state::reply_with_actor_tree(const writer& back) {
  self_->request(config_.root, answer_limit, get_tree{})
      .then(
          [back](const report_ptr& tree) {
            back->reply(make_json_response(200, *tree));
          },
          make_timeout_handler(back));
}

void admin_state::reply_with_watchers(const writer& back) {
  // The root's own actors are enough: no supervisor is asked.
  self_->request(config_.root, answer_limit, get_report{})
      .then(
          [back](const report_ptr& tree) {
            back->reply(make_json_response(200, watcher_reports_in(*tree)));
          },
          make_timeout_handler(back));
}

void admin_state::reply_with_job(const writer& back,
                                 const get_job_report& which, bool as_text) {
  self_->request(config_.root, answer_limit, which)
      .then(
          [=](const report_ptr& report) {
            if (!report)
              back->reply(make_error_response(404, which.kind + " " + which.ns
                                                       + "/" + which.name
                                                       + " not found"));
            else if (as_text)
              back->reply(make_admin_response(
                  200, "text/plain; charset=utf-8",
                  k8s::join(explain_report_lines(*report), "\n") + "\n"));
            else
              back->reply(make_json_response(200, *report));
          },
          make_timeout_handler(back));
}

// -- streams ------------------------------------------------------------------

void admin_state::open_event_stream(const admin_request& r) {
  auto subject = parse_stream_query(r.request);
  if (!subject)
    return r.back->reply(make_error_response(400, subject.error().message));
  if (streams_.is_full()) {
    auto full =
        make_error_response(503, "too many streams are open; close one, or "
                                 "try again later");
    full.headers["Retry-After"] = "5";
    return r.back->reply(std::move(full));
  }
  auto stream = streams_.open_stream(r.back, std::move(*subject));
  r.back->on_disconnect([me = admin_actor{self_}, stream] {
    caf::anon_send(me, stream_disconnected{stream});
  });
  if (!timer_set_)
    schedule_stream_poll();
}

void admin_state::on_stream_disconnected(const stream_disconnected& s) {
  streams_.remove_stream(s.stream);
}

void admin_state::schedule_stream_poll() {
  timer_set_ = true;
  self_->delayed_send(self_, event_streams::look_interval, timer_fired{});
}

void admin_state::on_timer() {
  timer_set_ = false;
  for (const auto& q : streams_.send_heartbeats_and_take_due())
    request_stream_data(q);
  if (++looks_without_heartbeat_ >= event_streams::looks_per_heartbeat) {
    looks_without_heartbeat_ = 0;
    logs_.send_heartbeats();
  }
  if (!streams_.empty() || !logs_.empty())
    schedule_stream_poll();
}

void admin_state::request_stream_data(const event_streams::due_request& q) {
  auto no_answer = [this, stream = q.stream](caf::error&) {
    streams_.on_no_answer(stream);
  };
  if (q.subject.job)
    self_->request(config_.root, answer_limit, *q.subject.job)
        .then(
            [this, stream = q.stream](const report_ptr& report) {
              streams_.on_job_report(stream,
                                     report ? *report : nlohmann::json{});
            },
            no_answer);
  else
    self_
        ->request(config_.jobs, answer_limit,
                  get_job_changes{q.subject.revision})
        .then(
            [this, stream = q.stream](const job_changes_ptr& changes) {
              streams_.on_job_changes(stream, *changes, config_.clock());
            },
            no_answer);
}

admin_actor::behavior_type
admin(admin_actor::stateful_pointer<admin_state> self, admin_config config) {
  self->state.init(std::move(config));
  return {
      [self](const admin_request& r) { self->state.on_request(r); },
      [self](const stream_disconnected& s) {
        self->state.on_stream_disconnected(s);
      },
      [self](const logged_pod_read& answer) {
        self->state.on_logged_pod_read(answer);
      },
      [self](const log_stream_closed& s) {
        self->state.on_log_stream_closed(s);
      },
      [self](const timer_fired&) { self->state.on_timer(); },
  };
}

} // namespace troupe::actors
