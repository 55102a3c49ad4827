#include "actors/admin/page_files.hpp"

#include "actors/admin/admin_responses.hpp"

#include <algorithm>
#include <map>
#include <string_view>

extern "C" {
extern const char troupe_page_begin[];
extern const char troupe_page_end[];
}

namespace troupe::actors {

namespace {

const char* content_type_of(const std::string& path) {
  auto type = path.substr(path.rfind('.') + 1);
  return type == "css"   ? "text/css; charset=utf-8"
         : type == "js"  ? "text/javascript; charset=utf-8"
         : type == "svg" ? "image/svg+xml"
                         : "text/html; charset=utf-8";
}

/// Text by path. They are embedded one after the other, each with its name in a
/// line before it.
std::map<std::string, std::string_view> parse_embedded_page_files() {
  constexpr std::string_view mark = "#file ";
  std::string_view rest{
      troupe_page_begin,
      static_cast<std::size_t>(troupe_page_end - troupe_page_begin)};
  std::map<std::string, std::string_view> files;
  while (rest.substr(0, mark.size()) == mark) {
    auto line = rest.find('\n');
    auto end = std::min(rest.find("\n#file ", line), rest.size() - 1);
    std::string name{rest.substr(mark.size(), line - mark.size())};
    files.emplace(name == "index.html" ? "/" : "/" + name,
                  rest.substr(line + 1, end - line - 1));
    rest.remove_prefix(end + 1);
  }
  return files;
}

const std::map<std::string, std::string_view>& page_files() {
  static const auto files = parse_embedded_page_files();
  return files;
}

} // namespace

std::optional<k8s::http::response> page_file_response(const std::string& path) {
  const auto& files = page_files();
  auto i = files.find(path);
  if (i == files.end())
    return std::nullopt;
  return make_admin_response(200, content_type_of(path),
                             std::string{i->second});
}

std::vector<std::string> page_paths() {
  std::vector<std::string> paths;
  for (const auto& [path, text] : page_files())
    paths.push_back(path);
  return paths;
}

} // namespace troupe::actors
