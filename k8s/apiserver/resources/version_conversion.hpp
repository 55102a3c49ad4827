#pragma once

#include "k8s/apiserver/resources/served_resource.hpp"
#include "k8s/apiserver/storage/store.hpp"

#include <functional>
#include <optional>

namespace troupe::k8s::apiserver {

// Objects of a custom resource are stored in one version and served in several.
// A converter translates between them, in the place of a cluster's conversion
// webhook. Without a converter only apiVersion differs. Objects of built-in
// resources pass through here unchanged: they are converted when they are
// encoded (convert_builtin_to_served_version) and when a write has been
// checked.

/// An object of a custom resource in the version of `type`, without the fields
/// that the schema of that version does not have; `stored` itself if it is in
/// that version, or built in. Defaults are those of the version in which it was
/// written.
status_or<stored_object_ptr>
convert_custom_to_served_version(const served_resource& type,
                                 const stored_object_ptr& stored);

/// Passes stored objects on in the version of `type`, until one cannot be
/// converted; to be called by a loop over the store.
class served_version_reader {
public:
  /// `use` returns false to end the loop.
  using use_function =
      std::function<bool(const std::string& key, const stored_object_ptr&)>;

  served_version_reader(const served_resource& type, use_function use)
      : type_(type)
      , use_(std::move(use)) {}

  bool operator()(const std::string& key, const stored_object_ptr& stored);

  /// Why the loop ended early, if it did.
  const std::optional<status_error>& error() const { return error_; }

private:
  const served_resource& type_;
  use_function use_;
  std::optional<status_error> error_;
};

/// The stored form of an object of a custom resource that is in the version of
/// `type`; the object itself if it is built in.
status_or<json> convert_custom_to_storage_version(const served_resource& type,
                                                  json object);

} // namespace troupe::k8s::apiserver
