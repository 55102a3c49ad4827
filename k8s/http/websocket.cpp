#include "k8s/http/websocket.hpp"

#include "k8s/text.hpp"

#include <algorithm>

namespace troupe::k8s::http {

namespace {

/// The members of a header that is a list, without blanks.
std::vector<std::string> header_list(const request& r, const char* name) {
  std::vector<std::string> out;
  auto i = r.headers.find(name);
  if (i == r.headers.end())
    return out;
  for (auto word : split(i->second, ',')) {
    word.erase(0, word.find_first_not_of(" \t"));
    word.erase(word.find_last_not_of(" \t") + 1);
    if (!word.empty())
      out.push_back(std::move(word));
  }
  return out;
}

bool has_token(const request& r, const char* name, const char* wanted) {
  auto words = header_list(r, name);
  return std::any_of(words.begin(), words.end(), [&](const std::string& w) {
    return lower_case(w) == wanted;
  });
}

} // namespace

bool is_websocket_request(const request& r) {
  auto version = r.headers.find("sec-websocket-version");
  auto key = r.headers.find("sec-websocket-key");
  return r.method == "GET" && has_token(r, "connection", "upgrade")
         && has_token(r, "upgrade", "websocket") && version != r.headers.end()
         && version->second == "13" && key != r.headers.end()
         && !key->second.empty();
}

std::string choose_subprotocol(const request& r,
                               const std::vector<std::string>& known) {
  for (auto& offered : header_list(r, "sec-websocket-protocol"))
    if (std::find(known.begin(), known.end(), offered) != known.end())
      return std::move(offered);
  return {};
}

} // namespace troupe::k8s::http
