#include "k8s/apiserver/resources/version_conversion.hpp"

namespace troupe::k8s::apiserver {

namespace {

/// Worded as by an API server that asks a webhook.
status_error conversion_error(const json& object, const std::string& why) {
  const auto& from = text_at(object, {"apiVersion"});
  return {500, "",
          "conversion webhook for " + from
              + ", Kind=" + text_at(object, {"kind"}) + " failed: " + why};
}

status_or<json> convert_custom_object_to_version(const served_resource& type,
                                                 json object,
                                                 const std::string& version) {
  if (type.converter && *type.converter) {
    auto converted = (*type.converter)(object, version);
    if (!converted)
      return conversion_error(object, converted.error().message);
    // As for a webhook, metadata other than these stays as it was.
    auto meta = object["metadata"];
    for (auto key : {"labels", "annotations"})
      if (auto* map = find_value(*converted, {"metadata", key}))
        meta[key] = *map;
      else
        meta.erase(key);
    object = std::move(*converted);
    object["metadata"] = std::move(meta);
  }
  object["apiVersion"] =
      resource{type.name.group, version, "", ""}.api_version();
  return object;
}

} // namespace

status_or<stored_object_ptr>
convert_custom_to_served_version(const served_resource& type,
                                 const stored_object_ptr& stored) {
  if (!type.custom || stored->api_version() == type.name.api_version())
    return stored;
  auto converted = convert_custom_object_to_version(type, stored->value(),
                                                    type.name.version);
  if (!converted)
    return converted.error();
  auto served = std::move(*converted);
  if (type.validation_schema) {
    std::vector<std::string> removed;
    prune_unknown_fields(*type.validation_schema, served, removed);
  }
  return std::make_shared<const stored_object>(std::move(served),
                                               stored->resource_version());
}

bool served_version_reader::operator()(const std::string& key,
                                       const stored_object_ptr& stored) {
  auto served = convert_custom_to_served_version(type_, stored);
  if (!served) {
    error_ = served.error();
    return false;
  }
  return use_(key, *served);
}

status_or<json> convert_custom_to_storage_version(const served_resource& type,
                                                  json object) {
  if (!type.custom || type.name.version == type.storage_version)
    return object;
  return convert_custom_object_to_version(type, std::move(object),
                                          type.storage_version);
}

} // namespace troupe::k8s::apiserver
