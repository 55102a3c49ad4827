// Writes the files of the project that follow from the table of settings:
// write_settings_documents PROJECT.

#include "config/settings_documents.hpp"

#include <fstream>
#include <iostream>

int main(int count, char** arguments) {
  if (count != 2) {
    std::cerr << "usage: write_settings_documents PROJECT\n";
    return 2;
  }
  for (const auto& d : troupe::config::settings_documents()) {
    auto path = std::string{arguments[1]} + "/" + d.path;
    if (!(std::ofstream{path} << d.text << std::flush)) {
      std::cerr << path << " cannot be written\n";
      return 1;
    }
  }
}
