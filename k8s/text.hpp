#pragma once

#include <chrono>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::k8s {

/// A to Z become a to z, whatever the locale; other bytes are kept.
std::string lower_case(std::string_view text);

/// Whether the texts differ at most in the case of A to Z.
bool equal_ignoring_case(std::string_view a, std::string_view b);

/// Whether the word is among others.
bool is_one_of(std::string_view word,
               std::initializer_list<std::string_view> words);

/// The parts between separators; empty ones are left out.
std::vector<std::string> split(std::string_view text, char separator);

/// The text without the spaces and tabs at its ends.
std::string trim_blanks(std::string_view text);

/// "a, b" of "a" and "b".
std::string join(const std::vector<std::string>& parts,
                 std::string_view separator);

/// The text with `value` for each `mark`.
std::string replace_all(std::string text, std::string_view mark,
                        std::string_view value);

/// That of `known` which is written most like `word`, for a proposal; "" if
/// more than half of the word, or `most_changes`, would have to change.
std::string nearest_word(const std::string& word,
                         const std::vector<std::string>& known,
                         std::size_t most_changes = std::string::npos);

/// Whether it is one or more letters and digits of ASCII, and between them - _
/// and . too: values of labels and names of their keys are.
bool is_alphanumeric_name(std::string_view text);

/// Whether the bytes are text in UTF-8.
bool is_utf8(std::string_view bytes);

/// A duration as `kubectl get` shows ages, with two digits of precision: "90s",
/// "3m12s", "5h", "2d3h". Negative ones are "0s".
std::string human_duration(std::chrono::seconds duration);

/// Whether the text begins with `prefix`, which is then removed.
bool remove_prefix(std::string_view& text, std::string_view prefix);

} // namespace troupe::k8s
