#pragma once

#include "k8s/http/server.hpp"
#include "k8s/json.hpp"
#include "k8s/result.hpp"

#include <optional>
#include <string>
#include <vector>

namespace troupe::k8s::apiserver {

/// What is wrong with one field, as in the details.causes of a Status.
struct field_error {
  std::string field;   ///< "spec.containers[0].name".
  std::string reason;  ///< "FieldValueRequired".
  std::string message; ///< "Required value: ...".
};

using field_errors = std::vector<field_error>;

// The common errors of a field, worded as by API servers.
field_error required_value(std::string field, const std::string& why = {});
field_error invalid_value(std::string field, const json& value,
                          const std::string& why);
field_error forbidden_value(std::string field, const std::string& why);
field_error duplicate_value(std::string field, const json& value);
field_error unsupported_value(std::string field, const json& value,
                              const std::vector<std::string>& known);

/// Why a request was refused; becomes a v1.Status with a code >= 400.
struct status_error {
  int code = 500;
  std::string reason; ///< CamelCase, for programs.
  std::string message;
  json details = nullptr; ///< name, group, kind, causes.
  std::vector<std::string> warnings = {};
  std::string continue_token = {}; ///< For a list that may be continued.

  http::response to_response() const;
};

/// Adds the warnings to a response, as API servers do (code 299).
void add_warning_header(http::response& r,
                        const std::vector<std::string>& warnings);

/// A value, or the error that the client gets.
template <class T>
using status_or = result<T, status_error>;

// `plural` and `group` name the resource, as in `pods "x" not found`.
status_error not_found(const std::string& group, const std::string& plural,
                       const std::string& name);
status_error path_not_found();
status_error already_exists(const std::string& group, const std::string& plural,
                            const std::string& name);
status_error conflict(const std::string& group, const std::string& plural,
                      const std::string& name, const std::string& why);
status_error invalid(const std::string& group, const std::string& kind,
                     const std::string& name, const field_errors& c);
status_error bad_request(std::string why);
status_error forbidden(const std::string& group, const std::string& plural,
                       const std::string& name, const std::string& why);
status_error expired(std::string why);
status_error unsupported_media_type(std::string why);
status_error method_not_allowed();

/// The Status that answers a finished deletion.
json deleted_status(const std::string& group, const std::string& plural,
                    const std::string& name, const std::string& uid);
/// The Status that answers the creation of a subresource such as a binding.
json created_status();

} // namespace troupe::k8s::apiserver
