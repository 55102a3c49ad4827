#pragma once

#include "k8s/http/server.hpp"

namespace troupe::k8s {

/// Answers with what it was asked: "POST /path key=value body".
inline void echo(http::request r, const http::response_writer_ptr& x) {
  http::response a;
  a.content_type = "text/plain";
  a.body = r.method + " " + r.path;
  for (const auto& [k, v] : r.query)
    a.body += " " + k + "=" + v;
  a.body += " " + r.body;
  x->reply(a);
}

} // namespace troupe::k8s
