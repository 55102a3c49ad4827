#pragma once

#include "k8s/json.hpp"
#include "k8s/result.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace troupe::frameworks {

/// How objects of one resource are converted between its versions. A resource
/// that has only one version needs none.
struct object_conversion {
  std::string group;
  std::string plural;
  std::string kind;
  std::vector<std::string> versions; ///< The first is the stored one.
  /// Written by conversions only: a label of converted objects, and an
  /// annotation with what the version that is read cannot express.
  std::string label;
  std::string annotation;
  /// The object as it reads in `version`; ec::invalid if that is none of
  /// `versions`, or if the object cannot be stored as it is.
  k8s::result<k8s::json> (*convert)(const k8s::json& object,
                                    const std::string& version) = nullptr;
  /// The same for an outline (read_job_outline), whose text values are passed
  /// on unread.
  k8s::result<k8s::json> (*convert_outline)(
      const k8s::json& object, const std::string& version) = nullptr;
  /// Why an object that was created in a version other than its own cannot be
  /// restored to that version; "" if it can. Takes the object or its outline.
  std::string (*find_restore_error)(const k8s::json& object) = nullptr;

  /// "dijobs.diengine.opendilab.org": the name of the definition.
  std::string crd_name() const { return plural + "." + group; }
  /// "diengine.opendilab.org/v1alpha1".
  std::string api_version(const std::string& version) const {
    return group + "/" + version;
  }
};

/// All conversions, in a fixed order.
const std::vector<object_conversion>& object_conversions();

// The rows, one file each.
object_conversion dijob_conversion();

/// A review reads the fields of an object's spec and status, its labels and its
/// annotations. All else stays text (json_outline.hpp). Returns the paths of
/// these parts in a document that has objects at these paths.
std::vector<k8s::json_path>
paths_of_job_outlines(const std::vector<k8s::json_path>& objects);

/// The outline of one object.
k8s::json read_job_outline(std::string_view object);

/// The conversion of this kind in the group of `api_version`, whatever the
/// version; or nullptr.
const object_conversion* find_conversion_of_kind(const std::string& api_version,
                                                 const std::string& kind);

/// The conversion of this resource, or nullptr.
const object_conversion* find_conversion_of_resource(const std::string& group,
                                                     const std::string& plural);

/// Whether the object was created in another version than its apiVersion says:
/// it has the label of converted objects.
bool is_converted(const object_conversion& c, const k8s::json& object);

/// Why the object may not be written as it is; "" if it may. The label and the
/// annotation must be as they are in `old`, which is null at a creation, and an
/// object that was created in another version must be restorable to it. An API
/// server requests no conversion if the version that is written is the stored
/// one.
std::string find_conversion_write_error(const object_conversion& c,
                                        const k8s::json& object,
                                        const k8s::json& old);

} // namespace troupe::frameworks
