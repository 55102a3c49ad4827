#pragma once

#include "actors/reports/report_intake.hpp"
#include "tests/actors/reports/token_text.hpp"
#include "tests/actors/single_actor_fixture.hpp"

namespace troupe::fixtures {

class kept_report_answer : public k8s::http::response_writer {
public:
  void reply(k8s::http::response r) override { given = std::move(r); }
  void start(k8s::http::response) override {}
  void write(std::string) override {}
  void finish() override {}
  void on_disconnect(std::function<void()>) override {}

  int status() const { return given ? given->status : 0; }

  std::optional<k8s::http::response> given;
};

/// An intake; the directory only keeps what it gets.
struct intake_fixture : single_actor_fixture {
  static constexpr const char* path = "/progress/namespaces/ns/tfjobs/job";
  static constexpr const char* audience =
      "training.kubeflow.org/progress/namespaces/ns/tfjobs/job";
  static constexpr const char* review = "create tokenreviews";

  std::vector<actors::report_to_job> reports;
  strings asked_about; ///< UIDs of pods.
  actors::report_answer job_answer;
  /// Whether reports of a pod would be taken.
  std::function<int(const std::string& pod)> on_question =
      [this](const std::string&) { return job_answer.status; };
  std::shared_ptr<actors::report_route> route =
      std::make_shared<actors::report_route>();
  actors::report_intake_actor intake;

  intake_fixture() {
    auto directory = spawn([this]() -> caf::behavior {
      return {[this](const actors::report_to_job& r) {
        if (r.asks) {
          asked_about.push_back(r.pod_uid);
          return actors::report_answer{on_question(r.pod_uid), {}, {}};
        }
        reports.push_back(r);
        auto result = job_answer;
        if (result.status == 200)
          result.taken = r.progress;
        return result;
      }};
    });
    actors::report_intake_config config;
    config.kinds = {&row_of_kind("TFJob")};
    config.route = route;
    intake = spawn(actors::report_intake, context, config,
                   actors::directory_shards{
                       {caf::actor_cast<actors::directory_actor>(directory)}});
    route->set_intake(intake);
  }

  std::shared_ptr<kept_report_answer> report() { return report(request()); }
  std::shared_ptr<kept_report_answer> report(const k8s::http::request& q) {
    auto back = std::make_shared<kept_report_answer>();
    route->answer(q, back);
    run();
    return back;
  }

  /// A token in the name of a pod, which nobody has signed.
  static std::string token_of(const std::string& pod,
                              const std::string& about = audience,
                              const std::string& signature = "x") {
    return token_text(claims_of_pod(pod, {about}), signature);
  }

  static k8s::http::request request(const std::string& token = token_of("u1")) {
    k8s::http::request q;
    q.method = "POST";
    q.path = path;
    q.headers["authorization"] = "Bearer " + token;
    q.body = R"({"trainerStatus": {"progressPercentage": 45}})";
    return q;
  }

  void answer_review(const char* ns = "ns", const char* pod = "u1") {
    answer(review,
           json{{"status",
                 {{"authenticated", true},
                  {"audiences", {audience}},
                  {"user",
                   {{"username",
                     std::string{"system:serviceaccount:"} + ns + ":default"},
                    {"extra",
                     {{"authentication.kubernetes.io/pod-uid", {pod}}}}}}}}}
               .dump());
  }
};

} // namespace troupe::fixtures
