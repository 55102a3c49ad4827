#include "k8s/node/containers/variable_expansion.hpp"

namespace troupe::k8s::node {

std::string expand_variables(const std::string& text,
                             const std::map<std::string, std::string>& values) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '$' || i + 1 == text.size()) {
      out += text[i];
      continue;
    }
    if (text[i + 1] == '$') {
      out += '$';
      ++i;
      continue;
    }
    auto close = text[i + 1] == '(' ? text.find(')', i) : std::string::npos;
    if (close == std::string::npos) {
      out += '$';
      continue;
    }
    auto found = values.find(text.substr(i + 2, close - i - 2));
    if (found == values.end())
      out += text.substr(i, close - i + 1);
    else
      out += found->second;
    i = close;
  }
  return out;
}

} // namespace troupe::k8s::node
