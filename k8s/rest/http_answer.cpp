#include "k8s/rest/http_answer.hpp"

#include "k8s/codec/codec.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>

namespace troupe::k8s::rest {

failure failure_of_answer(const http_answer& answer) {
  auto f = decode_status(answer.body, answer.status);
  const auto& text = answer.retry_after;
  int wait = 0;
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), wait);
  if (error == std::errc{} && end == text.data() + text.size() && wait > 0)
    f.retry_after = std::chrono::seconds{std::min(wait, 3600)};
  return f;
}

} // namespace troupe::k8s::rest
