#include "k8s/rest/text_file.hpp"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>

namespace troupe::k8s::rest {

result<std::string> read_text_file(const std::string& path) {
  errno = 0;
  std::ifstream in{path, std::ios::binary};
  std::string text;
  if (in)
    text.assign(std::istreambuf_iterator<char>{in}, {});
  if (!in || in.bad() || errno == EISDIR)
    return failure{ec::invalid,
                   "cannot read " + path + ": "
                       + (errno ? std::strerror(errno) : "unknown reason")};
  if (text.empty())
    return failure{ec::invalid, path + " is empty"};
  return text;
}

result<std::string> read_word_file(const std::string& path) {
  auto text = read_text_file(path);
  if (!text)
    return text;
  auto last = text->find_last_not_of(" \t\r\n");
  text->erase(last == std::string::npos ? 0 : last + 1);
  if (text->empty())
    return failure{ec::invalid, path + " is empty"};
  return text;
}

} // namespace troupe::k8s::rest
