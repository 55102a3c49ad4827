#include "actors/admin/admin_server.hpp"
#include "tests/fixtures/scratch_directory.hpp"

#include <boost/asio.hpp>
#include <boost/test/unit_test.hpp>

#include <fstream>
#include <thread>

using namespace troupe;
using namespace troupe::actors;

BOOST_AUTO_TEST_SUITE(admin_server_test)

namespace {

/// A file that lives as long as this.
struct temporary_file {
  explicit temporary_file(const std::string& text) {
    std::ofstream{path} << text;
  }

  fixtures::scratch_directory scratch;
  std::string path = scratch.path() + "/file";
};

/// The answer to a request that shows this token.
std::string ask(const k8s::http::server& server, const std::string& token) {
  using boost::asio::ip::tcp;
  boost::asio::io_context io;
  tcp::socket socket{io};
  socket.connect({boost::asio::ip::address_v4::loopback(), server.port()});
  boost::asio::write(
      socket, boost::asio::buffer("GET /admin/v1/jobs HTTP/1.1\r\n"
                                  "Host: localhost\r\nConnection: close\r\n"
                                  "Authorization: Bearer "
                                  + token + "\r\n\r\n"));
  std::string answer;
  boost::system::error_code end;
  boost::asio::read(socket, boost::asio::dynamic_buffer(answer), end);
  return answer;
}

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
  BOOST_TEST(who->body_media_types
             == std::vector<std::string>{"application/json"});
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

BOOST_AUTO_TEST_CASE(a_token_that_changes_is_read_again) {
  temporary_file token{"0123456789abcdef"};
  auto server = start_admin_server(
      "127.0.0.1:0", {token.path, "", ""},
      [](auto, const k8s::http::response_writer_ptr& back) { back->reply({}); },
      std::chrono::milliseconds{1});
  BOOST_REQUIRE(server);
  auto await_status = [&](const std::string& shown, const char* status) {
    while (ask(**server, shown).find(status) == std::string::npos)
      std::this_thread::yield();
  };
  await_status("0123456789abcdef", "200 OK");
  std::ofstream{token.path} << "short"; // Is refused, the old one stays.
  await_status("0123456789abcdef", "200 OK");
  std::ofstream{token.path} << "fedcba9876543210";
  await_status("fedcba9876543210", "200 OK");
  await_status("0123456789abcdef", "401 Unauthorized");
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
