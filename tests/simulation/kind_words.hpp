#pragma once

#include "tests/simulation/kind_book.hpp"

#include <random>
#include <string>
#include <vector>

namespace troupe::simulation {

/// How often a type occurs, and with how many replicas.
struct type_words {
  const char* type;
  int percent;
  int least;
  int most;
};

/// One entry of the book.
struct kind_words {
  const char* kind;
  const char* default_policy;
  std::vector<type_words> types;
  std::vector<std::string> (*leaders)(const manifest&);
  /// What else makes it a success; nullptr: nothing.
  bool (*short_cut)(const manifest&, const cast&) = nullptr;
  /// Fields that only this kind has, at random; nullptr: none.
  void (*extras)(json& spec, std::mt19937_64&) = nullptr;
  /// A failed replica is made anew under OnFailure and Always.
  bool tries_again = true;
};

/// By kind ("TFJob"), or nullptr.
const kind_words* find_words(const std::string& kind);

} // namespace troupe::simulation
