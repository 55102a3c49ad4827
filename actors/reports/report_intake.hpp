#pragma once

#include "actors/base/directory_shards.hpp"
#include "actors/base/own_report.hpp"
#include "actors/base/protocols.hpp"
#include "actors/base/report_authority.hpp"
#include "actors/reports/report_leader.hpp"
#include "actors/reports/report_pace.hpp"
#include "actors/reports/report_request.hpp"
#include "actors/reports/reports_under_way.hpp"
#include "actors/reports/token_claims.hpp"
#include "actors/reports/token_reviews.hpp"
#include "k8s/http/request_forwarder.hpp"

#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace troupe::actors {

/// A report, and the writer of its answer.
struct report_call {
  std::shared_ptr<const report_request> request;
  k8s::http::response_writer_ptr writer;
};

} // namespace troupe::actors

TROUPE_LOCAL_ONLY(report_call)

namespace troupe::actors {

/// Finds out whose reports are, and hands them to their jobs.
using report_intake_actor = reporting_actor::extend<
    // Answer it.
    caf::reacts_to<report_call>,
    // For the directories.
    caf::reacts_to<atom::report_authority>,
    // The answer to a review of a token.
    caf::reacts_to<api_response>>;

/// Where the servers find the intake: it is there while this process leads.
/// Any thread.
class report_route {
public:
  /// nullptr: nobody takes reports.
  void set_intake(report_intake_actor who);
  /// The certificates of the server's authorities, PEM.
  void set_authority(std::string pem);
  const std::shared_ptr<report_authority>& authority() const {
    return authority_;
  }
  /// While another replica leads, it gets the reports. `server_name` is in the
  /// certificates of all replicas.
  void forward_to_leader(std::shared_ptr<const report_leader> leader,
                         std::string server_name);
  /// Answers a request whose path is_report_path().
  void answer(const k8s::http::request& q,
              const k8s::http::response_writer_ptr& back);

private:
  std::shared_ptr<report_authority> authority_ =
      std::make_shared<report_authority>();
  void answer_counted(const k8s::http::request& q, report_request report,
                      const k8s::http::response_writer_ptr& back);
  void send_to_intake(report_request report,
                      const k8s::http::response_writer_ptr& back);
  void note_missed();
  /// It may be a good report: until now no job was silent.
  void miss(const k8s::http::response_writer_ptr& back, const std::string& why);
  void forward(const std::string& address, const k8s::http::request& q,
               const std::string& token,
               const k8s::http::response_writer_ptr& back);

  reports_under_way under_way_;
  std::mutex lock_; ///< Of the rest.
  report_intake_actor who_;
  std::shared_ptr<const report_leader> leader_; ///< Null: it is this replica.
  std::string server_name_;
  std::unique_ptr<k8s::http::request_forwarder> others_;
};

struct report_intake_config {
  std::vector<const core::framework*> kinds; ///< Whose jobs take reports.
  std::shared_ptr<report_route> route;
};

class report_intake_state {
public:
  static inline const char* name = "report-intake";

  explicit report_intake_state(report_intake_actor::pointer self)
      : self_(self) {}
  ~report_intake_state();

  void init(context_ptr context, report_intake_config config,
            directory_shards directories);
  void on_report(const report_call& call);
  void on_token_reviewed(const api_response& a);
  void on_authority_changed();
  report_ptr report() const;

private:
  std::vector<const core::framework*>
  kinds_named_by(const report_request& q) const;
  void ask_job_about_claimed_pod(const report_call& call);
  void on_job_answer(const report_call& call, std::string pod_uid, int status);
  void review(const report_call& call, const claimed_pod& claimed);
  void refuse(const report_call& call);
  /// It may be a good report: until now no job was silent.
  void miss(const report_call& call, const std::string& why);
  void pass_to_job(const report_call& call, const reviewed_pod& pod);

  report_intake_actor::pointer self_;
  context_ptr context_;
  report_intake_config config_;
  directory_shards directories_;
  token_reviews reviews_;
  std::uint64_t next_call_ = 1;
  std::unordered_map<std::uint64_t, report_call> waiting_;   ///< For a review.
  std::unordered_map<std::uint64_t, std::string> audiences_; ///< Of reviews.
  report_pace pace_;
  std::uint64_t taken_ = 0;
  std::uint64_t refused_ = 0;
};

report_intake_actor::behavior_type
report_intake(self_pointer<report_intake_actor, report_intake_state> self,
              context_ptr context, report_intake_config config,
              directory_shards directories);

} // namespace troupe::actors
