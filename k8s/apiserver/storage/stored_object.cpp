#include "k8s/apiserver/storage/stored_object.hpp"

#include "k8s/objects.hpp"

namespace troupe::k8s::apiserver {

stored_object::stored_object(json value, std::uint64_t resource_version,
                             string_block_pool* pool)
    : value_(std::move(value))
    , text_(*value_, pool)
    , api_version_(text_at(*value_, {"apiVersion"}))
    , resource_version_(resource_version) {
  // nop
}

std::string stored_object::text() const {
  std::string out;
  out.reserve(text_size());
  append_text_to(out);
  return out;
}

const json& stored_object::value() const {
  if (!value_) {
    value_ = text_.parse();
    cache_->add_parsed_value(*this);
  }
  return *value_;
}

stored_object_ptr
value_cache::make_stored_object(json value, std::uint64_t resource_version) {
  auto made = std::make_shared<stored_object>(std::move(value),
                                              resource_version, blocks_.get());
  made->self_ = made;
  made->cache_ = shared_from_this();
  add_parsed_value(*made);
  return made;
}

void value_cache::add_parsed_value(const stored_object& parsed) {
  parsed_.push_back({parsed.self_, parsed.text_.size()});
  text_size_ += parsed.text_.size();
}

void value_cache::drop_values_beyond_limit() {
  while (text_size_ > limit_) {
    if (auto object = parsed_.front().object.lock())
      object->value_.reset();
    text_size_ -= parsed_.front().text_size;
    parsed_.pop_front();
  }
}

} // namespace troupe::k8s::apiserver
