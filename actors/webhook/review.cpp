#include "actors/webhook/review.hpp"

#include "frameworks/core/spec/limits.hpp"
#include "k8s/deep_json.hpp"
#include "k8s/json_outline.hpp"

namespace troupe::actors {

namespace {

using k8s::json;
using k8s::text_at;
using k8s::value_at;

/// "" if it is one of this kind.
std::string find_review_error(const json& review, const review_kind& wanted) {
  if (text_at(review, {"kind"}) != wanted.kind
      || text_at(review, {"apiVersion"}) != wanted.api_version)
    return "the body must have the kind " + wanted.kind + " and the apiVersion "
           + wanted.api_version + "; set " + wanted.version_setting;
  if (text_at(review, {"request", "uid"}).empty())
    return "request.uid is missing";
  return {};
}

k8s::http::response answer_posted_review(const k8s::http::request& r,
                                         const review_kind& kind) {
  if (auto wrong = k8s::find_json_error(r.body); !wrong.empty())
    return make_plain_text_error(400, "the body is not JSON: " + wrong);
  auto opened = kind.opened;
  opened.insert(opened.end(), {{}, {"request"}});
  const auto review =
      k8s::parse_json_outline(r.body, opened, core::max_outline_values);
  if (auto wrong = find_review_error(review, kind); !wrong.empty())
    return make_plain_text_error(400, wrong);
  const auto& request = value_at(review, {"request"});
  if (auto wrong = kind.find_malformed_field_error(request); !wrong.empty())
    return make_plain_text_error(400, wrong);
  auto response = kind.make_response(request);
  response["uid"] = text_at(request, {"uid"});
  k8s::http::response answer;
  answer.body = k8s::to_text({{"apiVersion", kind.api_version},
                              {"kind", kind.kind},
                              {"response", std::move(response)}});
  return answer;
}

} // namespace

k8s::http::response make_plain_text_error(int status, std::string sentence) {
  k8s::http::response r;
  r.status = status;
  r.content_type = "text/plain; charset=utf-8";
  r.body = std::move(sentence) + "\n";
  return r;
}

k8s::http::response answer_review(const k8s::http::request& r,
                                  const review_kind& kind) {
  if (r.method != "POST") {
    auto refusal = make_plain_text_error(405, "send " + kind.kind + " by POST");
    refusal.headers["Allow"] = "POST";
    return refusal;
  }
  if (k8s::nesting_depth_with_strings(r.body) <= k8s::usual_json_depth)
    return answer_posted_review(r, kind);
  k8s::http::response answer;
  k8s::run_on_deep_json_thread([&] { answer = answer_posted_review(r, kind); });
  return answer;
}

} // namespace troupe::actors
