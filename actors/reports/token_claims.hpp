#pragma once

#include <cstdint>
#include <string>

namespace troupe::actors {

/// The UID of the pod that a token of a service account names, if the token is
/// for this audience; "" for any other text. Nobody has checked that the token
/// is genuine: it may be refused for what it says, but not accepted.
std::string claimed_pod_uid(const std::string& token,
                            const std::string& audience);

/// What becomes of a token whose pod a job was asked about.
enum class claim_verdict : std::uint8_t {
  review,                ///< The job takes reports of such a pod.
  review_as_of_gone_job, ///< Reports of it were taken while the job was there.
  refuse,                ///< Whatever a review would say.
  later,                 ///< Nobody knows yet.
};

/// `status`: the answer of the job (see report_to_job::asks). `was_taken`: a
/// report of that pod for that job was taken.
claim_verdict judge_claim(int status, bool was_taken);

} // namespace troupe::actors
