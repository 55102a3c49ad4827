#include "k8s/apiserver/schema/text_pattern.hpp"

#include <regex>

namespace troupe::k8s::apiserver {

struct text_pattern {
  std::regex expression;
};

std::shared_ptr<const text_pattern>
compile_text_pattern(const std::string& expression) {
  try {
    return std::make_shared<const text_pattern>(text_pattern{
        std::regex{expression, std::regex::ECMAScript | std::regex::optimize}});
  } catch (const std::regex_error&) {
    return nullptr;
  }
}

bool matches(const text_pattern& pattern, const std::string& text) {
  constexpr std::size_t too_long = 4096;
  return text.size() >= too_long || std::regex_search(text, pattern.expression);
}

} // namespace troupe::k8s::apiserver
