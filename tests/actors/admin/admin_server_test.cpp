#include "actors/admin/admin_server.hpp"

#include <boost/test/unit_test.hpp>

#include <cstdio>
#include <fstream>
#include <unistd.h>

using namespace troupe;
using namespace troupe::actors;

BOOST_AUTO_TEST_SUITE(admin_server_test)

namespace {

/// A file that lives as long as this.
struct temporary_file {
  explicit temporary_file(const std::string& text) {
    int handle = ::mkstemp(path.data());
    BOOST_REQUIRE(handle >= 0);
    ::close(handle);
    std::ofstream{path} << text;
  }
  ~temporary_file() { std::remove(path.c_str()); }

  std::string path = "/tmp/troupe-admin-XXXXXX";
};

std::string error_of(const admin_access_files& files) {
  auto who = read_admin_access(files);
  return who ? "" : who.error().message;
}

} // namespace

BOOST_AUTO_TEST_CASE(without_files_nobody_is_asked_for_a_token) {
  auto who = read_admin_access({});
  BOOST_REQUIRE(who);
  BOOST_TEST(who->token == "");
  BOOST_TEST(!who->tls_only);
  BOOST_TEST(who->bodies == std::vector<std::string>{"application/json"});
}

BOOST_AUTO_TEST_CASE(the_token_is_the_text_of_its_file) {
  temporary_file token{"  0123456789abcdef\n"};
  auto who = read_admin_access({token.path, "", ""});
  BOOST_REQUIRE(who);
  BOOST_TEST(who->token == "0123456789abcdef");
}

BOOST_AUTO_TEST_CASE(only_the_files_of_the_page_are_public) {
  auto who = read_admin_access({});
  BOOST_REQUIRE(who);
  BOOST_TEST(who->public_paths.size() > 3u);
  for (const auto& path : who->public_paths)
    BOOST_TEST(path.find("/admin") == std::string::npos, path);
}

BOOST_AUTO_TEST_CASE(an_error_names_the_setting_and_the_fix) {
  for (const char* text : {"", "\n", "short", "0123456789 abcdefgh"}) {
    temporary_file token{text};
    BOOST_TEST(error_of({token.path, "", ""})
               == "--admin-token-file: " + token.path
                      + " has no token of 16 characters or more; write one "
                        "into it: openssl rand -hex 32");
  }
  temporary_file some{"text"};
  auto begins = [](const std::string& text, const char* with) {
    return text.rfind(with, 0) == 0;
  };
  BOOST_TEST(begins(error_of({"/not/there", "", ""}), "--admin-token-file: "));
  BOOST_TEST(
      begins(error_of({"", "/not/there", ""}), "--admin-tls-cert-file: "));
  BOOST_TEST(begins(error_of({"", some.path, "/not/there"}),
                    "--admin-tls-key-file: "));
  auto server = start_admin_server("127.0.0.1:0", {"", some.path, some.path},
                                   [](auto, auto) {});
  BOOST_REQUIRE(!server);
  BOOST_TEST(begins(server.error().message,
                    "--admin-bind-address: cannot use the certificate"));
}

BOOST_AUTO_TEST_SUITE_END()
