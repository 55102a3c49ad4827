#include "config/settings_documents.hpp"

#include <boost/test/unit_test.hpp>

#include <fstream>
#include <iterator>

using namespace troupe::config;

BOOST_AUTO_TEST_SUITE(settings_documents_test)

BOOST_AUTO_TEST_CASE(the_files_of_the_project_say_what_the_table_says) {
  for (const auto& d : settings_documents()) {
    std::ifstream in{std::string{REPOSITORY} + "/" + d.path};
    std::string text{std::istreambuf_iterator<char>{in}, {}};
    BOOST_CHECK_MESSAGE(text == d.text,
                        d.path << " is not what config/setting_rows.cpp says: "
                                  "cmake --build build --target "
                                  "settings_documents writes it");
  }
}

BOOST_AUTO_TEST_SUITE_END()
