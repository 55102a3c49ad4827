#include "actors/admin/page_files.hpp"

#include "actors/admin/admin_responses.hpp"

extern "C" {
extern const char troupe_page_index_begin[];
extern const char troupe_page_index_end[];
extern const char troupe_page_style_begin[];
extern const char troupe_page_style_end[];
extern const char troupe_page_script_begin[];
extern const char troupe_page_script_end[];
extern const char troupe_page_icon_begin[];
extern const char troupe_page_icon_end[];
}

namespace troupe::actors {

namespace {

struct embedded_file {
  const char* path;
  const char* content_type;
  const char* begin;
  const char* end;
};

const embedded_file page_file_rows[] = {
    {"/", "text/html; charset=utf-8", troupe_page_index_begin,
     troupe_page_index_end},
    {"/page.css", "text/css; charset=utf-8", troupe_page_style_begin,
     troupe_page_style_end},
    {"/page.js", "text/javascript; charset=utf-8", troupe_page_script_begin,
     troupe_page_script_end},
    {"/icon.svg", "image/svg+xml", troupe_page_icon_begin,
     troupe_page_icon_end},
};

} // namespace

std::optional<k8s::http::response> page_file(const std::string& path) {
  for (const auto& f : page_file_rows)
    if (path == f.path)
      return admin_response(200, f.content_type, std::string(f.begin, f.end));
  return std::nullopt;
}

} // namespace troupe::actors
