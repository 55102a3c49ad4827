#include "actors/admin/admin.hpp"

#include "actors/admin/admin_paths.hpp"
#include "actors/admin/admin_responses.hpp"
#include "actors/admin/explain_text.hpp"
#include "actors/admin/page_files.hpp"
#include "k8s/text.hpp"

namespace troupe::actors {

namespace {

constexpr std::chrono::seconds answer_limit{5};

bool is_read(const std::string& method) {
  return method == "GET" || method == "HEAD";
}

/// What the actors that were asked answer in case of an error.
auto timeout_reply(const k8s::http::response_writer_ptr& back) {
  return [back](caf::error&) {
    back->reply(error_response(504, "the actors did not answer in time"));
  };
}

} // namespace

void admin_state::on_request(const admin_request& r) {
  const auto& q = r.request;
  if (auto file = page_file(q.path)) {
    r.back->reply(is_read(q.method) ? std::move(*file)
                                    : method_not_allowed("GET, HEAD"));
    return;
  }
  auto target = parse_admin_path(q.path);
  if (!target) {
    r.back->reply(error_response(404, "nothing is served at this path; "
                                      "/admin/v1 lists what there is"));
    return;
  }
  if (!is_read(q.method)) {
    r.back->reply(method_not_allowed(allowed_methods(target->subject)));
    return;
  }
  get_job_report which{target->ns, target->kind, target->name};
  switch (target->subject) {
  case admin_subject::index:
    return r.back->reply(json_response(200, admin_index()));
  case admin_subject::job_list:
    return reply_with_job_list(r.back);
  case admin_subject::job:
    return reply_with_job(r.back, which, false);
  case admin_subject::explanation:
    return reply_with_job(r.back, which, true);
  case admin_subject::actors:
    return reply_with_actors(r.back);
  case admin_subject::watchers:
    return reply_with_watchers(r.back);
  case admin_subject::settings:
    return r.back->reply(json_response(200, config_.settings()));
  }
}

void admin_state::reply_with_job_list(const writer& back) {
  self_->request(config_.jobs, answer_limit, get_job_changes{})
      .then(
          [this, back](const job_changes_ptr& all) {
            back->reply(json_response(200, to_json(*all, config_.clock())));
          },
          timeout_reply(back));
}

void admin_state::reply_with_actors(const writer& back) {
  self_->request(config_.root, answer_limit, get_tree{})
      .then(
          [back](const report_ptr& tree) {
            back->reply(json_response(200, *tree));
          },
          timeout_reply(back));
}

void admin_state::reply_with_watchers(const writer& back) {
  self_->request(config_.root, answer_limit, get_tree{})
      .then(
          [back](const report_ptr& tree) {
            back->reply(json_response(200, watchers_in(*tree)));
          },
          timeout_reply(back));
}

void admin_state::reply_with_job(const writer& back,
                                 const get_job_report& which, bool as_text) {
  self_->request(config_.root, answer_limit, which)
      .then(
          [=](const report_ptr& report) {
            if (!report)
              back->reply(error_response(404, "no " + which.kind + " "
                                                  + which.ns + "/" + which.name
                                                  + " is looked after here"));
            else if (as_text)
              back->reply(admin_response(200, "text/plain; charset=utf-8",
                                         k8s::join(explain_lines(*report), "\n")
                                             + "\n"));
            else
              back->reply(json_response(200, *report));
          },
          timeout_reply(back));
}

admin_actor::behavior_type
admin(admin_actor::stateful_pointer<admin_state> self, admin_config config) {
  self->state.init(std::move(config));
  return {
      [self](const admin_request& r) { self->state.on_request(r); },
  };
}

} // namespace troupe::actors
