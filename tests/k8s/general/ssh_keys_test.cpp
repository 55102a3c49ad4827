#include "k8s/general/base64.hpp"
#include "k8s/general/files.hpp"
#include "k8s/general/openssl_pem.hpp"
#include "k8s/general/ssh_keys.hpp"

#include <boost/test/unit_test.hpp>
#include <openssl/core_names.h>

#include <cstdio>
#include <fstream>
#include <string>
#include <unistd.h>

using namespace troupe::k8s;

BOOST_AUTO_TEST_SUITE(ssh_keys_test)

namespace {

ssh_key_pair must_make() {
  auto pair = make_ssh_keys();
  BOOST_REQUIRE(bool(pair));
  return *pair;
}

std::string blob_of(const ssh_key_pair& pair) {
  auto begin = pair.public_key.find(' ') + 1;
  auto blob = from_base64(
      pair.public_key.substr(begin, pair.public_key.size() - begin - 1));
  BOOST_REQUIRE(bool(blob));
  return *blob;
}

std::string output_of(const std::string& command) {
  std::string out;
  auto* pipe = popen(command.c_str(), "r");
  BOOST_REQUIRE(pipe);
  char part[512];
  while (auto n = fread(part, 1, sizeof part, pipe))
    out.append(part, n);
  pclose(pipe);
  return out;
}

} // namespace

BOOST_AUTO_TEST_CASE(the_private_key_is_sec_1) {
  auto pair = must_make();
  const std::string begin = "-----BEGIN EC PRIVATE KEY-----\n";
  const std::string end = "-----END EC PRIVATE KEY-----\n";
  BOOST_TEST(pair.private_key.substr(0, begin.size()) == begin);
  BOOST_TEST(pair.private_key.substr(pair.private_key.size() - end.size())
             == end);
  auto lines = pair.private_key.substr(begin.size());
  BOOST_TEST(lines.find('\n') == 64u);
  auto der = from_base64(lines.substr(0, lines.size() - end.size()));
  BOOST_REQUIRE(bool(der));
  // SEQUENCE, INTEGER 1, OCTET STRING of 66 bytes.
  BOOST_TEST(der->substr(0, 8)
             == std::string("\x30\x81\xdc\x02\x01\x01\x04\x42", 8));
}

BOOST_AUTO_TEST_CASE(the_public_key_is_that_of_the_private_one) {
  auto pair = must_make();
  auto key = private_key_of(pair.private_key);
  BOOST_REQUIRE(bool(key));
  unsigned char point[256];
  std::size_t size = 0;
  BOOST_REQUIRE(EVP_PKEY_get_octet_string_param(key.get(),
                                                OSSL_PKEY_PARAM_PUB_KEY, point,
                                                sizeof point, &size)
                == 1);
  BOOST_TEST(pair.public_key.substr(0, 20) == "ecdsa-sha2-nistp521 ");
  BOOST_TEST(pair.public_key.back() == '\n');
  auto blob = blob_of(pair);
  BOOST_TEST(blob
             == std::string("\0\0\0\x13", 4) + "ecdsa-sha2-nistp521"
                    + std::string("\0\0\0\x08", 4) + "nistp521"
                    + std::string("\0\0\0\x85", 4)
                    + std::string(reinterpret_cast<char*>(point), size));
}

BOOST_AUTO_TEST_CASE(each_pair_is_another_one) {
  BOOST_TEST(must_make().private_key != must_make().private_key);
}

BOOST_AUTO_TEST_CASE(ssh_keygen_reads_it) {
  if (access("/usr/bin/ssh-keygen", X_OK) != 0) {
    BOOST_TEST_MESSAGE("ssh-keygen is not installed");
    return;
  }
  auto pair = must_make();
  char file[] = "/tmp/ssh-key-XXXXXX";
  int opened = mkstemp(file); // Only its owner may read it.
  BOOST_REQUIRE(opened >= 0);
  close(opened);
  std::ofstream{file} << pair.private_key;
  BOOST_TEST(output_of(std::string{"ssh-keygen -y -f "} + file)
             == pair.public_key);
  BOOST_TEST(output_of(std::string{"ssh-keygen -l -f "} + file).substr(0, 4)
             == "521 ");
  unlink(file);
}

BOOST_AUTO_TEST_SUITE_END()
