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
  /// The same of an outline (read_job_outline), whose text values are handed on
  /// unread.
  k8s::result<k8s::json> (*convert_outline)(
      const k8s::json& object, const std::string& version) = nullptr;
  /// Why an object that was made in another version than its own cannot be
  /// restored there, "" if it can. Of an object, or of its outline.
  std::string (*find_restore_error)(const k8s::json& object) = nullptr;

  /// "dijobs.diengine.opendilab.org": the name of the definition.
  std::string crd_name() const { return plural + "." + group; }
  /// "diengine.opendilab.org/v1alpha1".
  std::string api_version(const std::string& version) const {
    return group + "/" + version;
  }
};

/// All that there are, in a fixed order.
const std::vector<object_conversion>& object_conversions();

// The rows, one file each.
object_conversion dijob_conversion();

/// What is read of an object in a review: the fields of its spec and its
/// status, its labels and its annotations. All else is text (json_outline.hpp).
/// Gives the paths of that in something where objects are at these paths.
std::vector<k8s::json_path>
paths_of_job_outlines(const std::vector<k8s::json_path>& objects);

/// The outline of one object.
k8s::json read_job_outline(std::string_view object);

/// Of the kind of this apiVersion and kind, or nullptr.
const object_conversion* find_conversion(const std::string& api_version,
                                         const std::string& kind);

/// Of the resource of this group, or nullptr.
const object_conversion* find_conversion_of_resource(const std::string& group,
                                                     const std::string& plural);

/// Whether the object was made in another version than its apiVersion says.
bool is_converted(const object_conversion& c, const k8s::json& object);

/// Why an object may not be written like this, "" if it may: the label and the
/// annotation stay as they are in `old`, which is null at a creation, and an
/// object that was made in another version can be restored there. An API server
/// asks for no conversion if the version that is written is the stored one.
std::string find_conversion_write_error(const object_conversion& c,
                                        const k8s::json& object,
                                        const k8s::json& old);

} // namespace troupe::frameworks
