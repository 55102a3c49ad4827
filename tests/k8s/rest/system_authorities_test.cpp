#include "k8s/rest/system_authorities.hpp"

#include <boost/test/unit_test.hpp>

#include <set>

using namespace troupe::k8s::rest;

BOOST_AUTO_TEST_SUITE(system_authorities)

BOOST_AUTO_TEST_CASE(each_distribution_has_a_place_of_its_own) {
  const std::string debian = "/etc/ssl/certs/ca-certificates.crt";
  const std::string red_hat = "/etc/pki/tls/certs/ca-bundle.crt";
  const std::string alpine = "/etc/ssl/cert.pem";
  struct {
    own_authorities own;
    std::set<std::string> files;
    std::string chosen;
  } rows[] = {
      {{}, {}, ""},
      {{}, {"/etc/shadow"}, ""},
      {{}, {debian}, debian},
      {{}, {red_hat}, red_hat},
      {{},
       {"/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem"},
       "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem"},
      {{}, {"/etc/ssl/ca-bundle.pem"}, "/etc/ssl/ca-bundle.pem"},
      {{}, {alpine}, alpine},
      {{}, {alpine, debian}, debian},
      // Whoever names some trusts no others.
      {{true, false}, {debian, red_hat}, ""},
      {{false, true}, {debian, red_hat}, ""},
  };
  for (const auto& row : rows)
    BOOST_TEST(choose_authority_file(row.own,
                                     [&](const std::string& path) {
                                       return row.files.count(path) > 0;
                                     })
               == row.chosen);
}

BOOST_AUTO_TEST_SUITE_END()
