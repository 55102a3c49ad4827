#include "k8s/http/websocket.hpp"

#include "k8s/http/message_format.hpp"
#include "k8s/text.hpp"

#include <algorithm>

namespace troupe::k8s::http {

namespace {

bool header_contains_token(const request& r, const char* name,
                           const char* wanted) {
  auto words = split_header_list(r.header(name));
  return std::any_of(words.begin(), words.end(), [&](const std::string& w) {
    return lower_case(w) == wanted;
  });
}

} // namespace

bool is_websocket_request(const request& r) {
  return r.method == "GET" && header_contains_token(r, "connection", "upgrade")
         && header_contains_token(r, "upgrade", "websocket")
         && r.header("sec-websocket-version") == "13"
         && !r.header("sec-websocket-key").empty();
}

std::string choose_subprotocol(const request& r,
                               const std::vector<std::string>& known) {
  for (auto& offered : split_header_list(r.header("sec-websocket-protocol")))
    if (std::find(known.begin(), known.end(), offered) != known.end())
      return std::move(offered);
  return {};
}

} // namespace troupe::k8s::http
