#include "k8s/rest/credentials/credential_files.hpp"

#include "k8s/general/files.hpp"

namespace troupe::k8s::rest {

result<std::string> read_nonempty_file(const std::string& path) {
  auto text = read_file(path);
  if (text && text->empty())
    return failure{ec::invalid, path + " is empty"};
  return text;
}

result<std::string> read_trimmed_token_file(const std::string& path) {
  auto text = read_nonempty_file(path);
  if (!text)
    return text;
  text->erase(text->find_last_not_of(" \t\r\n") + 1);
  if (text->empty())
    return failure{ec::invalid, path + " is empty"};
  return text;
}

result<std::string> pem_source::read() const {
  return is_file() ? read_nonempty_file(file) : result<std::string>{text};
}

} // namespace troupe::k8s::rest
