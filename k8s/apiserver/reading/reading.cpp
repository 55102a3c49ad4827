#include "k8s/apiserver/reading/reading.hpp"

#include "k8s/apiserver/base/media_types.hpp"
#include "k8s/apiserver/reading/continue_token.hpp"
#include "k8s/apiserver/reading/list_options.hpp"
#include "k8s/apiserver/reading/object_encoding.hpp"
#include "k8s/apiserver/resources/version_conversion.hpp"
#include "k8s/apiserver/tables/table_response.hpp"

namespace troupe::k8s::apiserver {

namespace {

constexpr const char* too_old_page =
    "The provided continue parameter is too old to display a consistent list "
    "result. You can start a new list without the continue parameter, or use "
    "the continue token in this response to retrieve the remainder of the "
    "results. Continuing with the provided token results in an inconsistent "
    "list - objects that were created, modified, or deleted between the time "
    "the first chunk was returned and now may show up in the list.";

/// For a client whose continue token is too old: its list may go on from there,
/// with what is there now.
status_error expired_page_error(const std::string& after_key) {
  if (after_key.empty())
    return expired("The resourceVersion for the provided list is too old.");
  auto out = expired(too_old_page);
  out.continue_token = encode_continue_token({0, after_key});
  return out;
}

/// The items of one page, and what is needed to ask for the next.
struct page {
  std::vector<stored_object_ptr> items;
  std::uint64_t resource_version = 0;
  std::string token;
  std::optional<std::size_t> remaining; ///< Behind it; without a selector.
};

/// Looks at no more objects than it needs: what is behind a page costs it
/// nothing. So a page with a selector may be followed by an empty one.
status_or<page> read_page(server_state& state, const request_info& info,
                          const list_options& options) {
  page out;
  out.resource_version = options.resource_version
                             ? options.resource_version
                             : state.objects.resource_version();
  std::string last;
  bool is_more = false;
  served_version_reader reader{
      *info.type, [&](const std::string& key, const stored_object_ptr& s) {
        if (options.chosen.matches(*s)) {
          out.items.push_back(s);
          last = key;
        }
        return true;
      }};
  auto add_to_page = [&](const std::string& key, const stored_object_ptr& s) {
    is_more = options.limit && out.items.size() == options.limit;
    return !is_more && reader(key, s);
  };
  const auto& bucket = info.type->bucket;
  bool is_now = out.resource_version >= state.objects.resource_version();
  if (is_now)
    state.objects.for_each(bucket, info.ns, options.after_key, add_to_page);
  else if (!state.objects.for_each_at_version(out.resource_version, bucket,
                                              info.ns, options.after_key,
                                              add_to_page))
    return expired_page_error(options.after_key);
  if (reader.error())
    return *reader.error();
  if (!is_more)
    return out;
  if (options.chosen.empty()) {
    if (options.remaining && *options.remaining > out.items.size())
      out.remaining = *options.remaining - out.items.size();
    else
      out.remaining = is_now ? state.objects.count_after(bucket, info.ns, last)
                             : state.objects.count_after_at_version(
                                 out.resource_version, bucket, info.ns, last);
  }
  out.token =
      encode_continue_token({out.resource_version, last, out.remaining});
  return out;
}

http::response list_objects(server_state& state, const request_info& info) {
  auto wanted = parse_list_options(state, info);
  if (!wanted)
    return wanted.error().to_response();
  auto& want = *wanted;
  auto found = read_page(state, info, want);
  if (!found)
    return found.error().to_response();
  auto& p = *found;
  json meta{{"resourceVersion", std::to_string(p.resource_version)}};
  if (!p.token.empty()) {
    meta["continue"] = p.token;
    if (p.remaining)
      meta["remainingItemCount"] = *p.remaining;
  }
  http::response r;
  auto form = requested_object_form(*info.request);
  if (form == object_form::table) {
    r.body = to_text(make_table(*info.type, p.items, meta, state.now(),
                                info.query_param("includeObject"), true));
    return r;
  }
  json head{{"kind", info.type->list_kind},
            {"apiVersion", info.type->name.api_version()},
            {"metadata", meta}};
  bool partial = form == object_form::metadata;
  if (partial)
    head = {{"kind", "PartialObjectMetadataList"},
            {"apiVersion", "meta.k8s.io/v1"},
            {"metadata", meta}};
  append_text(r.body, head);
  r.body.pop_back();
  r.body += ",\"items\":[";
  for (const auto& s : p.items) {
    if (r.body.back() != '[')
      r.body += ',';
    if (partial)
      r.body += encode_partial_object_metadata(*s);
    else if (info.type->from_storage)
      r.body += encode_in_served_version(info, s);
    else
      s->append_text_to(r.body);
  }
  r.body += "]}\n";
  return r;
}

} // namespace

http::response get_object_or_list(server_state& state,
                                  const request_info& info) {
  if (info.name.empty())
    return list_objects(state, info);
  if (!info.subresource.empty()
      && !(info.subresource == "status" && info.type->has_status))
    return (info.type->custom ? info.not_found_error() : path_not_found())
        .to_response();
  if (auto error = check_version_not_too_large(state, info))
    return error->to_response();
  auto s = state.objects.find(info.type->bucket, info.storage_key());
  if (!s)
    return info.not_found_error().to_response();
  auto served = convert_custom_to_served_version(*info.type, s);
  if (!served)
    return served.error().to_response();
  http::response r;
  r.body = encode_object_in_requested_form(state.now(), info, *served);
  return r;
}

} // namespace troupe::k8s::apiserver
