#pragma once

#include "k8s/http/server.hpp"
#include "k8s/json.hpp"

#include <functional>
#include <string>
#include <vector>

namespace troupe::actors {

/// What an API server asks a webhook by POST. The body is an object of this
/// kind with `request`; it is answered by one with `response`.
struct review_kind {
  std::string api_version;     ///< "admission.k8s.io/v1".
  std::string kind;            ///< "AdmissionReview".
  std::string version_setting; ///< What to set, so that servers send it.
  /// The paths of the objects in the review that are read, besides the review
  /// and its request (k8s/json_outline.hpp); other objects and lists are text
  /// values.
  std::vector<k8s::json_path> opened;
  /// What is wrong with the form of `request`; "" if nothing is.
  std::function<std::string(const k8s::json& request)>
      find_malformed_field_error;
  /// `response`, without the uid.
  std::function<k8s::json(const k8s::json& request)> make_response;
};

/// A request that is not such a review is answered 405 or 400, in plain text.
/// Because anybody can send one, only the values that are needed are made of
/// its text, and they are counted first. Objects are read to the depth to which
/// an API server can store them: an object that could not be read would make a
/// whole list unreadable, and could not be deleted if it has a finalizer.
k8s::http::response answer_review(const k8s::http::request& r,
                                  const review_kind& kind);

/// An answer in plain text: "the body is not JSON".
k8s::http::response make_plain_text_error(int status, std::string sentence);

} // namespace troupe::actors
