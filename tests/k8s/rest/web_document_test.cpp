#include "k8s/rest/web_document.hpp"
#include "tests/k8s/rest/credentials_fixture.hpp"
#include "tests/k8s/rest/rest_fixture.hpp"

#include <boost/test/unit_test.hpp>

#ifdef __SANITIZE_ADDRESS__
// cpprestsdk's threads outlive main, and with them what OpenSSL keeps for each.
// (What of ours uses OpenSSL is watched in credentials_test.)
extern "C" const char* __lsan_default_suppressions() {
  return "leak:libcrypto.so";
}
#endif

using namespace troupe::k8s;
using namespace troupe::k8s::rest;
using namespace std::chrono_literals;

BOOST_AUTO_TEST_SUITE(web_document_test)

namespace {

void check_unreadable(const result<std::string>& r, const std::string& url,
                      const std::string& part) {
  BOOST_REQUIRE_MESSAGE(!r, "read " << url);
  BOOST_CHECK(r.error().code == ec::invalid);
  BOOST_CHECK_MESSAGE(r.error().message.find(url) == 0, r.error().message);
  BOOST_CHECK_MESSAGE(r.error().message.find(part) != std::string::npos,
                      r.error().message);
}

} // namespace

BOOST_AUTO_TEST_CASE(what_is_of_the_web_is_told_from_files) {
  for (const char* url : {"https://h/a.yaml", "http://h"})
    BOOST_TEST(is_web_url(url), url);
  for (const char* file : {"a.yaml", "-", "", "https", "/https://h", "ftp://h"})
    BOOST_TEST(!is_web_url(file), file);
}

BOOST_AUTO_TEST_CASE(a_document_is_read_also_after_redirects) {
  scripted_server server{[](peer& p) {
    while (auto r = p.read()) {
      if (r->line() == "GET /a HTTP/1.1")
        p.answer(302, "", "Location: /b\r\n");
      else if (r->line() == "GET /b HTTP/1.1")
        p.answer(200, "kind: TFJob\n");
      else
        p.answer(404, "no");
    }
  }};
  for (const char* path : {"/a", "/b"}) {
    auto r = read_web_document(server.url() + path);
    BOOST_REQUIRE_MESSAGE(bool(r), (r ? std::string{} : r.error().message));
    BOOST_TEST(*r == "kind: TFJob\n");
  }
  check_unreadable(read_web_document(server.url() + "/c"), server.url() + "/c",
                   "the server answers 404");
}

BOOST_AUTO_TEST_CASE(what_is_not_tried_is_named_with_the_reason) {
  const std::pair<const char*, const char*> rows[] = {
      {"http://example.com/a.yaml", "use https"},
      {"https://", "must be https://HOST/PATH"},
      {"https://h:port/a", "must be https://HOST/PATH"},
      {"https://me:pw@h/a", "must be https://HOST/PATH"},
      {"https://[::1]/a", "an IPv6 address cannot be used here"}};
  for (auto [url, part] : rows)
    check_unreadable(read_web_document(url), url, part);
}

BOOST_AUTO_TEST_CASE(a_document_without_an_end_is_given_up) {
  scripted_server server{[](peer& p) {
    p.read();
    p.begin_chunks();
    for (int i = 0; i < 100; ++i)
      p.chunk(std::string(64u << 10, 'x'));
    p.wait_until_left();
  }};
  check_unreadable(read_web_document(server.url(), 1u << 20), server.url(),
                   "is longer than 1048576 bytes");
}

BOOST_AUTO_TEST_CASE(certificates_are_of_the_authorities_of_the_system) {
  auto own = make_certificate("127.0.0.1");
  scripted_server server{always(200, "text"), own};
  check_unreadable(read_web_document(server.url()), server.url(),
                   "cannot be read");
  temporary_directory f;
  environment_variable system{"SSL_CERT_FILE", f.write("ca.pem", own.cert)};
  auto r = read_web_document(server.url());
  BOOST_REQUIRE_MESSAGE(bool(r), (r ? std::string{} : r.error().message));
  BOOST_TEST(*r == "text");
}

BOOST_AUTO_TEST_SUITE_END()
