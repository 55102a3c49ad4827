#pragma once

#include "k8s/apiserver/base/status_error.hpp"
#include "k8s/apiserver/storage/stored_object.hpp"
#include "k8s/json.hpp"

#include <string>
#include <vector>

namespace troupe::k8s::apiserver {

/// One condition on a label or a field.
struct requirement {
  enum class operation : std::uint8_t {
    in,
    not_in,
    exists,
    absent,
    greater,
    less
  };

  std::string key;
  operation op = operation::exists;
  std::vector<std::string> values;
};

/// A label selector and a field selector together. A value.
struct selector {
  std::vector<requirement> labels;
  std::vector<requirement> fields; ///< Keys are paths: "status.phase".

  bool empty() const { return labels.empty() && fields.empty(); }
  bool matches(const json& object) const;
  bool matches(const stored_object& object) const;
};

/// Reads "a=b,c!=d,e in (f,g),h notin (i),j,!k,l>1"; a bad one is refused
/// with 400.
status_or<std::vector<requirement>>
parse_label_selector(const std::string& text);

/// Reads "metadata.name=x,status.phase!=y"; `known` are the paths that may be
/// asked for, `resource` names the resource in the message.
status_or<std::vector<requirement>>
parse_field_selector(const std::string& text,
                     const std::vector<std::string>& known,
                     const std::string& resource);

} // namespace troupe::k8s::apiserver
