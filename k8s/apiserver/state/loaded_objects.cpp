#include "k8s/apiserver/state/loaded_objects.hpp"

#include "k8s/apiserver/resources/crd_validation.hpp"
#include "k8s/apiserver/schema/builtin_schemas.hpp"
#include "k8s/apiserver/schema/schema_validation.hpp"
#include "k8s/apiserver/state/custom_resource_definitions.hpp"
#include "k8s/apiserver/storage/store.hpp"

namespace troupe::k8s::apiserver {

namespace {

std::string find_metadata_error(const std::string& key, const json& value) {
  auto* meta = find_value(value, {"metadata"});
  if (!meta)
    return "it has no metadata";
  if (auto error = check_metadata_types(*meta))
    return error->message;
  auto place =
      storage_key(text_at(*meta, {"namespace"}), text_at(*meta, {"name"}));
  if (place != key)
    return "it names itself " + place;
  for (auto needed : {"uid", "resourceVersion"})
    if (text_at(*meta, {needed}).empty())
      return std::string{"it has no "} + needed;
  return {};
}

/// Custom resources are in buckets named by their group; the definitions that
/// say more need not have been read yet.
bool can_belong_to_bucket(const served_resource* type,
                          const std::string& bucket, const json& value) {
  const auto& version = text_at(value, {"apiVersion"});
  if (type && !type->custom)
    return version == type->name.api_version()
           && text_at(value, {"kind"}) == type->name.kind;
  auto group = "." + version.substr(0, version.find('/'));
  return bucket.size() > group.size()
         && bucket.compare(bucket.size() - group.size(), group.size(), group)
                == 0;
}

} // namespace

std::string find_stored_object_error(const resource_registry& types,
                                     const std::string& bucket,
                                     const std::string& key,
                                     const json& value) {
  if (auto why = find_metadata_error(key, value); !why.empty())
    return why;
  for (auto needed : {"apiVersion", "kind"})
    if (text_at(value, {needed}).empty())
      return std::string{"it has no "} + needed;
  field_errors wrong;
  auto type = types.find_stored_version_by_bucket(bucket);
  if (!can_belong_to_bucket(type.get(), bucket, value))
    return "it is of another resource: " + text_at(value, {"apiVersion"}) + " "
           + text_at(value, {"kind"});
  if (bucket == crd_bucket) {
    std::vector<std::string> warnings;
    wrong = validate_crd_except_patterns(value, nullptr, warnings);
  } else if (type && !type->custom) {
    if (type->strategy.validate && !find_value(value, {"spec"}))
      return "it has no spec";
    if (const auto* known = find_schema(*type))
      validate_value_except_unchanged(*known, value, nullptr, "", wrong);
  }
  return wrong.empty() ? "" : wrong[0].field + ": " + wrong[0].message;
}

} // namespace troupe::k8s::apiserver
