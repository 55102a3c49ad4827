#include "k8s/http/message_format.hpp"

#include "k8s/text.hpp"
#include "k8s/uri.hpp"

#include <boost/beast/http/message.hpp>

namespace troupe::k8s::http {

namespace {

bool parse_query_into(std::string_view text, request& r) {
  while (!text.empty()) {
    auto end = text.find('&');
    auto pair = text.substr(0, end);
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
    if (pair.empty())
      continue;
    auto eq = pair.find('=');
    auto key = percent_decode(pair.substr(0, eq), true);
    auto value = percent_decode(
        eq == pair.npos ? std::string_view{} : pair.substr(eq + 1), true);
    if (!key || !value)
      return false;
    if (r.query.count(*key) > 0)
      r.repeated_query.emplace_back(std::move(*key), std::move(*value));
    else
      r.query.emplace(std::move(*key), std::move(*value));
  }
  return true;
}

// A line break inside a header would let its author write further headers.
void append_sanitized_header(std::string& out, std::string_view name,
                             std::string_view value) {
  auto append = [&out](std::string_view text) {
    for (char c : text)
      out += c == '\r' || c == '\n' || c == '\0' ? ' ' : c;
  };
  append(name);
  out += ": ";
  append(value);
  out += "\r\n";
}

} // namespace

bool parse_request_target(std::string_view target, request& r) {
  auto scheme = target.find("://");
  if (scheme != target.npos && scheme < target.find_first_of("/?")) {
    auto slash = target.find_first_of("/?", scheme + 3);
    // It counts, and the header does not (RFC 9112, 3.2.2).
    r.headers["host"] = target.substr(scheme + 3, slash - scheme - 3);
    target = slash == target.npos ? "/" : target.substr(slash);
  }
  if (target.empty() || (target[0] != '/' && target != "*"))
    return false;
  auto mark = target.find('?');
  auto path = percent_decode(target.substr(0, mark), false);
  if (!path)
    return false;
  r.path = std::move(*path);
  return mark == target.npos || parse_query_into(target.substr(mark + 1), r);
}

const char* reason_phrase(int status) {
  namespace beast = boost::beast::http;
  auto known = beast::int_to_status(static_cast<unsigned>(status));
  // Beast's phrases are literals, so their data ends in a NUL.
  return beast::obsolete_reason(known).data();
}

std::vector<std::string> split_header_list(std::string_view value) {
  std::vector<std::string> out;
  for (const auto& member : split_without_empty_parts(value, ','))
    if (auto text = trim_blanks(member); !text.empty())
      out.push_back(std::move(text));
  return out;
}

std::string format_response_head(const response& r, framing f,
                                 bool keep_alive) {
  std::string out;
  out.reserve(256);
  out += "HTTP/1.1 ";
  out += std::to_string(r.status);
  out += ' ';
  out += reason_phrase(r.status);
  out += "\r\n";
  if (!r.content_type.empty())
    append_sanitized_header(out, "Content-Type", r.content_type);
  for (const auto& [name, value] : r.headers)
    append_sanitized_header(out, name, value);
  bool bodiless = r.status == 204 || r.status == 304 || r.status < 200;
  if (f == framing::length && !bodiless)
    append_sanitized_header(out, "Content-Length",
                            std::to_string(r.body.size()));
  else if (f == framing::chunked)
    append_sanitized_header(out, "Transfer-Encoding", "chunked");
  if (!keep_alive)
    append_sanitized_header(out, "Connection", "close");
  out += "\r\n";
  return out;
}

} // namespace troupe::k8s::http
