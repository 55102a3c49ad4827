#include "k8s/apiserver/pods/pod_eviction.hpp"

#include "k8s/apiserver/writing/deleting.hpp"

namespace troupe::k8s::apiserver {

status_or<write_result> evict_pod(server_state& state, const request_info& info,
                                  const json& body) {
  const auto& kind = text_at(body, {"kind"});
  if (kind != "Eviction")
    return bad_request("the body of an eviction must be an Eviction");
  const auto& name = text_at(body, {"metadata", "name"});
  if (!name.empty() && name != info.name)
    return bad_request("name in URL does not match name in Eviction object");
  auto options = parse_delete_options(info, value_at(body, {"deleteOptions"}));
  if (!options)
    return options.error();
  auto& d = *options;
  d.dry_run |= info.is_dry_run();
  auto s = state.objects.find("pods", info.storage_key());
  if (!s)
    return info.not_found_error();
  auto done = delete_stored_object(state, *info.type, s, info.storage_key(), d);
  if (!done)
    return done.error();
  write_result out;
  out.http_status = 201;
  out.body = created_status();
  return out;
}

} // namespace troupe::k8s::apiserver
