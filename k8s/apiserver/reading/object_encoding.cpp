#include "k8s/apiserver/reading/object_encoding.hpp"

#include "k8s/apiserver/base/media_types.hpp"
#include "k8s/apiserver/tables/table_response.hpp"

namespace troupe::k8s::apiserver {

std::string encode_in_served_version(const request_info& info,
                                     const stored_object_ptr& object) {
  return info.type->from_storage ? to_text(
             convert_builtin_to_served_version(*info.type, object->value()))
                                 : object->text();
}

std::string encode_object_in_requested_form(time_point now,
                                            const request_info& info,
                                            const stored_object_ptr& object) {
  auto form = requested_object_form(*info.request);
  if (form == object_form::table) {
    json meta{{"resourceVersion", std::to_string(object->resource_version())}};
    return to_text(make_table(*info.type, {object}, meta, now,
                              info.query_param("includeObject"), true));
  }
  if (form == object_form::metadata)
    return encode_partial_object_metadata(*object);
  return encode_in_served_version(info, object);
}

} // namespace troupe::k8s::apiserver
