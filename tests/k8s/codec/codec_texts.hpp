#pragma once

#include "k8s/codec/codec.hpp"

#include <boost/test/unit_test.hpp>

#include <string>

// JSON texts as an API server sends them.

namespace troupe::k8s::codec_texts {

inline std::string event(const std::string& type, const std::string& object) {
  return R"({"type":")" + type + R"(","object":)" + object + "}";
}

inline std::string deep_text(int depth) {
  std::string open;
  for (int i = 0; i < depth; ++i)
    open += "{\"f\":";
  return open + "1" + std::string(static_cast<std::size_t>(depth), '}');
}

inline std::string metadata_of(const std::string& name,
                               const std::string& more) {
  return R"({"name":")" + name + R"(","namespace":"n","uid":"u-)" + name
         + R"(","resourceVersion":"7")" + more + "}";
}

inline std::string named(const std::string& name) {
  return "{\"metadata\":" + metadata_of(name, "") + "}";
}

/// With managedFields as deep as what they are about.
inline std::string deep_object(const std::string& name, int depth) {
  return "{\"spec\":" + deep_text(depth) + ",\"metadata\":"
         + metadata_of(name, ",\"managedFields\":[{\"fieldsV1\":"
                                 + deep_text(depth) + "}]")
         + "}";
}

inline object_ptr must_read(const std::string& text, object_detail keep) {
  auto o = decode_object(text, keep);
  BOOST_REQUIRE_MESSAGE(bool(o), (o ? std::string{} : o.error().message));
  return *o;
}

} // namespace troupe::k8s::codec_texts
