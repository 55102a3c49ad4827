#include "frameworks/di/base/dijob_conversion.hpp"

#include "frameworks/conversions.hpp"
#include "frameworks/core/base/json.hpp"
#include "frameworks/core/spec/limits.hpp"
#include "k8s/json_outline.hpp"
#include "k8s/text.hpp"

#include <optional>

namespace troupe::frameworks::di {

using namespace core;
using k8s::failure;
using k8s::result;

namespace {

/// What Kubernetes allows for all annotations of an object together.
constexpr std::size_t annotations_limit = 262144;
/// In the annotation, in the place of what is too large for it.
constexpr const char* omitted_key = "omitted";

/// How the annotation is read: like the job around it.
using text_reader = json (*)(std::string_view text);

json read_outline_or_null(std::string_view text) {
  if (!k8s::find_json_error(text).empty())
    return nullptr;
  return k8s::parse_json_outline(text, {{}, {"metadata"}, {"spec"}, {"status"}},
                                 max_outline_values);
}

bool is_stored_version(const dijob_version& version) {
  return std::string{"v1alpha1"} == version.name;
}

const json& conversion_mark_at(const json& job, const char* map,
                               const char* key) {
  return value_at(job, {"metadata", map, key});
}

bool has_conversion_marks(const json& job) {
  return !conversion_mark_at(job, "labels", converted_from_label).is_null()
         || !conversion_mark_at(job, "annotations", unconverted_annotation)
                 .is_null();
}

void erase_conversion_mark(json& job, const char* map, const char* key) {
  auto meta = job.find("metadata");
  if (meta == job.end() || !meta->is_object())
    return;
  auto all = meta->find(map);
  if (all == meta->end() || !all->is_object())
    return;
  all->erase(key);
  if (all->empty())
    meta->erase(all);
}

// -- from the version in which a job was made to the other --------------------

/// Splits one part of the job ("spec"): what both versions have stays. Returns
/// the rest: null says that a field that gets a default is absent, and a value
/// that is no object stands for itself.
json extract_unconverted_fields(json& job, const char* part,
                                const common_fields& fields) {
  auto found = job.find(part);
  if (found == job.end() || !found->is_object()) {
    auto value = found == job.end() ? json{} : std::move(*found);
    job.erase(part);
    return value;
  }
  auto rest = json::object();
  auto kept = json::object();
  for (auto& [name, value] : found->items())
    (is_common_field(fields, name) ? kept : rest)[name] = std::move(value);
  for (const auto& f : fields)
    if (*f.default_value && value_at(kept, {f.name}).is_null())
      rest[f.name] = nullptr;
  *found = std::move(kept);
  return rest;
}

std::size_t annotations_size(const json& job) {
  std::size_t size = 0;
  const auto& all = value_at(job, {"metadata", "annotations"});
  if (all.is_object())
    for (const auto& [key, value] : all.items())
      size += key.size()
              + (value.is_string() ? value.get_ref<const std::string&>().size()
                                   : 0);
  return size;
}

/// Marks that somebody else wrote, to be restored with the rest.
void move_conversion_marks_to_unconverted(json& job, json& unconverted) {
  for (auto [map, key] : {std::pair{"labels", converted_from_label},
                          std::pair{"annotations", unconverted_annotation}}) {
    if (const auto& mark = conversion_mark_at(job, map, key); !mark.is_null())
      unconverted["metadata"][map] = mark;
    erase_conversion_mark(job, map, key);
  }
}

/// nullopt if the annotation would be too large.
std::optional<json> convert_to_other_version(json job,
                                             const dijob_version& from,
                                             const dijob_version& to,
                                             bool omit_unconverted) {
  json unconverted;
  move_conversion_marks_to_unconverted(job, unconverted);
  unconverted["spec"] =
      extract_unconverted_fields(job, "spec", common_spec_fields());
  if (job.contains("status"))
    unconverted["status"] =
        extract_unconverted_fields(job, "status", common_status_fields());
  if (omit_unconverted)
    unconverted = {{omitted_key, true}};
  reset_own_and_fill_common_fields(ensure_object(job, "spec"), to);
  auto& meta = ensure_object(job, "metadata");
  ensure_object(meta, "labels")[converted_from_label] = from.name;
  ensure_object(meta, "annotations")[unconverted_annotation] =
      to_text(unconverted);
  job["apiVersion"] = std::string{dijob_group_prefix} + to.name;
  if (!omit_unconverted && annotations_size(job) > annotations_limit)
    return std::nullopt;
  return job;
}

// -- back to the version in which it was made ---------------------------------

failure conversion_failure(const std::string& why) {
  return {k8s::ec::invalid, why};
}

/// Puts one part of the job together again.
void merge_unconverted_fields(json& job, const char* part,
                              const common_fields& fields, const json& rest) {
  auto out = json::object();
  if (rest.is_object())
    for (const auto& [name, value] : rest.items())
      if (!is_common_field(fields, name))
        out[name] = value;
  const auto view = value_at(job, {part});
  for (const auto& f : fields) {
    const auto& value = value_at(view, {f.name});
    bool was_absent = !rest.is_object() || rest.contains(f.name);
    bool is_default = *f.default_value && value == f.default_value;
    if (!value.is_null() && !(was_absent && is_default))
      out[f.name] = value;
  }
  bool is_restored_whole = out.empty() && !rest.is_object();
  if (!is_restored_whole)
    job[part] = std::move(out);
  else if (rest.is_null())
    job.erase(part);
  else
    job[part] = rest;
}

/// Whether an API server takes an object with these marks.
bool are_valid_marks(const json& marks) {
  auto is_label_value = [](const std::string& text) {
    constexpr std::size_t longest = 63;
    return text.empty()
           || (text.size() <= longest && k8s::is_alphanumeric_name(text));
  };
  const auto& label = value_at(marks, {"labels"});
  const auto& annotation = value_at(marks, {"annotations"});
  return (label.is_null()
          || (label.is_string() && is_label_value(label.get<std::string>())))
         && (annotation.is_null() || annotation.is_string());
}

void restore_foreign_marks(json& job, const json& unconverted) {
  const auto& marks = value_at(unconverted, {"metadata"});
  for (auto [map, key] : {std::pair{"labels", converted_from_label},
                          std::pair{"annotations", unconverted_annotation}})
    if (const auto& mark = value_at(marks, {map}); !mark.is_null())
      ensure_object(ensure_object(job, "metadata"), map)[key] = mark;
}

std::string field_unknown_in_origin_error(const std::string& field,
                                          const std::string& origin,
                                          const std::string& from) {
  return field + ": Forbidden: the job was made as " + dijob_group_prefix
         + origin
         + ", which has no such field; unset it, or delete the job and create "
           "it as "
         + dijob_group_prefix + from;
}

std::string unconverted_annotation_error(const std::string& why) {
  return std::string{"metadata.annotations["} + unconverted_annotation
         + "]: " + why;
}

result<json> restore_original_version(json job, const dijob_version& from,
                                      const dijob_version& to,
                                      text_reader read) {
  const auto unconverted =
      read(text_at(job, {"metadata", "annotations", unconverted_annotation}));
  if (bool_at(unconverted, {omitted_key}))
    return conversion_failure(unconverted_annotation_error(
        std::string{"the job is too large to be written in this version; write "
                    "it as "}
        + dijob_group_prefix + to.name));
  if (!unconverted.is_object() || !unconverted.contains("spec")
      || !are_valid_marks(value_at(unconverted, {"metadata"})))
    return conversion_failure(unconverted_annotation_error(
        std::string{"Invalid value: it must be as it was read, as it has the "
                    "fields of "}
        + dijob_group_prefix + to.name + " that this version does not have"));
  auto field = find_version_specific_spec_field(value_at(job, {"spec"}), from);
  if (field.empty() && is_stored_version(to))
    field = find_version_specific_status_field(value_at(job, {"status"}));
  if (!field.empty())
    return conversion_failure(
        field_unknown_in_origin_error(field, to.name, from.name));
  erase_conversion_mark(job, "labels", converted_from_label);
  erase_conversion_mark(job, "annotations", unconverted_annotation);
  restore_foreign_marks(job, unconverted);
  merge_unconverted_fields(job, "spec", common_spec_fields(),
                           value_at(unconverted, {"spec"}));
  if (job.contains("status") || unconverted.contains("status"))
    merge_unconverted_fields(job, "status", common_status_fields(),
                             value_at(unconverted, {"status"}));
  job["apiVersion"] = std::string{dijob_group_prefix} + to.name;
  return job;
}

/// To the version that is stored. Nothing is lost, or it is refused.
result<json> convert_to_stored(const json& job, const dijob_version& from,
                               const dijob_version& to, text_reader read) {
  if (conversion_mark_at(job, "labels", converted_from_label) == to.name)
    return restore_original_version(job, from, to, read);
  if (has_conversion_marks(job))
    return conversion_failure(
        std::string{"metadata.labels["} + converted_from_label
        + "] and metadata.annotations[" + unconverted_annotation
        + "]: Forbidden: only conversion between versions writes "
          "them; leave them as they are in a job that was made in "
          "another version, and out of all others");
  if (auto wrapped = convert_to_other_version(job, from, to, false))
    return std::move(*wrapped);
  return conversion_failure(
      std::string{"metadata.annotations: Too long: what "} + dijob_group_prefix
      + to.name
      + " does not have is stored in an annotation, and all annotations may "
        "have "
      + std::to_string(annotations_limit)
      + " bytes; make the job smaller, or create it with kubectl create, which "
        "adds no annotation with a copy of it");
}

/// From the version that is stored: it must be readable, whatever it has.
json convert_from_stored(const json& job, const dijob_version& from,
                         const dijob_version& to, text_reader read) {
  if (conversion_mark_at(job, "labels", converted_from_label) == to.name)
    if (auto restored = restore_original_version(job, from, to, read))
      return std::move(*restored);
  if (auto wrapped = convert_to_other_version(job, from, to, false))
    return std::move(*wrapped);
  return *convert_to_other_version(job, from, to, true);
}

result<json> convert(const json& job, const std::string& version,
                     text_reader read) {
  const auto* from = dijob_version_of(job);
  if (!from)
    return conversion_failure(
        "apiVersion: Unsupported value: "
        + to_text(value_at(job, {"apiVersion"}))
        + ": it must be one of diengine.opendilab.org/v1alpha1, "
          "diengine.opendilab.org/v2alpha1");
  if (version == from->name)
    return job;
  const auto& to = other_dijob_version(*from);
  if (version != to.name)
    return conversion_failure("a DIJob cannot be converted to " + version
                              + ", only to v1alpha1 and v2alpha1");
  if (is_stored_version(to))
    return convert_to_stored(job, *from, to, read);
  return convert_from_stored(job, *from, to, read);
}

} // namespace

result<json> convert_dijob(const json& job, const std::string& version) {
  return convert(job, version, parse_json_or_null);
}

result<json> convert_dijob_outline(const json& job,
                                   const std::string& version) {
  return convert(job, version, read_outline_or_null);
}

std::string find_dijob_restore_error(const json& job) {
  const auto* from = dijob_version_of(job);
  if (!from)
    return {};
  const auto& to = other_dijob_version(*from);
  if (conversion_mark_at(job, "labels", converted_from_label) != to.name)
    return {};
  auto restored =
      restore_original_version(job, *from, to, read_outline_or_null);
  return restored ? "" : restored.error().message;
}

} // namespace troupe::frameworks::di

namespace troupe::frameworks {

object_conversion dijob_conversion() {
  return {"diengine.opendilab.org",
          "dijobs",
          "DIJob",
          {"v1alpha1", "v2alpha1"},
          di::converted_from_label,
          di::unconverted_annotation,
          di::convert_dijob,
          di::convert_dijob_outline,
          di::find_dijob_restore_error};
}

} // namespace troupe::frameworks
