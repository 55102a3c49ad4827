#include "actors/admin/admin.hpp"

#include "k8s/json.hpp"
#include "k8s/text.hpp"

namespace troupe::actors {

namespace {

constexpr std::chrono::seconds patience{5};

void reply(const k8s::http::response_writer_ptr& back, int status,
           const nlohmann::json& body) {
  k8s::http::response r;
  r.status = status;
  r.body = k8s::to_indented_text(body) + "\n";
  back->reply(std::move(r));
}

void refuse(const k8s::http::response_writer_ptr& back, int status,
            const std::string& why) {
  reply(back, status, {{"error", why}});
}

} // namespace

admin_actor::behavior_type admin(admin_actor::pointer self, root_actor root,
                                 std::function<nlohmann::json()> settings) {
  auto answer = [](const k8s::http::response_writer_ptr& back,
                   const std::string& missing) {
    return [back, missing](const report_ptr& r) {
      if (r)
        reply(back, 200, *r);
      else
        refuse(back, 404, missing);
    };
  };
  auto silent = [](const k8s::http::response_writer_ptr& back) {
    return [back](caf::error&) {
      refuse(back, 504, "the actors did not answer in time");
    };
  };
  return {
      [=](const admin_question& q) {
        auto parts = k8s::split(q.path, '/');
        bool ours =
            parts.size() >= 3 && parts[0] == "admin" && parts[1] == "v1";
        if (ours && parts.size() == 3 && parts[2] == "actors") {
          self->request(root, patience, get_tree{})
              .then(answer(q.back, "no actors"), silent(q.back));
        } else if (ours && parts.size() == 6 && parts[2] == "jobs") {
          auto missing = "no " + parts[4] + " " + parts[3] + "/" + parts[5]
                         + " is looked after here";
          self->request(root, patience,
                        get_job_report{parts[3], parts[4], parts[5]})
              .then(answer(q.back, missing), silent(q.back));
        } else if (ours && parts.size() == 3 && parts[2] == "settings") {
          reply(q.back, 200, settings());
        } else {
          refuse(q.back, 404,
                 "ask /admin/v1/actors, /admin/v1/settings or "
                 "/admin/v1/jobs/NAMESPACE/KIND/NAME");
        }
      },
  };
}

} // namespace troupe::actors
