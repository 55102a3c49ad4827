#include "k8s/apiserver/object_encoding.hpp"

#include "k8s/apiserver/table_response.hpp"

namespace troupe::k8s::apiserver {

std::string encode_as_served(const request_info& info,
                             const stored_object& object) {
  return info.type->from_storage
             ? to_text(convert_to_served_version(*info.type, object.value))
             : object.text;
}

std::string encode_object_or_table(time_point now, const request_info& info,
                                   const stored_object& object) {
  if (accepts_table(*info.request)) {
    json meta{{"resourceVersion", std::to_string(object.resource_version)}};
    return to_text(make_table(*info.type,
                              {std::make_shared<stored_object>(object)}, meta,
                              now, info.param("includeObject"), true));
  }
  if (accepts_metadata(*info.request))
    return to_text(partial_object_metadata(object.value));
  return encode_as_served(info, object);
}

} // namespace troupe::k8s::apiserver
