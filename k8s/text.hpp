#pragma once

#include <chrono>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::k8s {

/// A to Z become a to z in every locale; other bytes are kept.
std::string lower_case(std::string_view text);

/// Whether the texts are equal except for the case of A to Z.
bool equal_ignoring_case(std::string_view a, std::string_view b);

/// Whether the word is among others.
bool is_one_of(std::string_view word,
               std::initializer_list<std::string_view> words);

/// The parts between separators; empty ones are left out.
std::vector<std::string> split_without_empty_parts(std::string_view text,
                                                   char separator);

/// The text without the spaces and tabs at its ends.
std::string trim_blanks(std::string_view text);

/// "a, b" of "a" and "b".
std::string join(const std::vector<std::string>& parts,
                 std::string_view separator);

/// The text with each `mark`, which is not empty, replaced by `value`.
std::string replace_all(std::string text, std::string_view mark,
                        std::string_view value);

/// The word in `known` that is written most like `word`, for a proposal; "" if
/// more than half of `word`, or more than `most_changes` letters, would have to
/// change.
std::string nearest_word(const std::string& word,
                         const std::vector<std::string>& known,
                         std::size_t most_changes = std::string::npos);

/// Whether the text is one or more ASCII letters and digits, between which - _
/// and . are allowed, too, as in values of labels and the names of their keys.
/// Their length is not checked.
bool is_alphanumeric_name(std::string_view text);

/// Whether the text is one label of a host name, as a namespace's name is: at
/// most 63 of a to z, digits and "-", which is neither first nor last.
bool is_dns_label(std::string_view text);

/// Whether the text is a DNS subdomain, as prefixes of labels' keys are: at
/// most 253 bytes of such labels, which may be longer, with "." between them.
bool is_dns_subdomain(std::string_view text);

/// The text up to the end of the last character that ends within `most` bytes,
/// and then "..."; a text that is no longer than that is kept.
std::string shorten_text(std::string text, std::size_t most);

/// Whether the bytes are text in UTF-8.
bool is_utf8(std::string_view bytes);

/// At most that many bytes of the beginning of a text in UTF-8, without a part
/// of a character at the end.
std::string utf8_prefix(std::string_view text, std::size_t most_bytes);

/// A duration as `kubectl get` shows ages, with two digits of precision: "90s",
/// "3m12s", "5h", "2d3h". A negative duration is "0s".
std::string human_duration(std::chrono::seconds duration);

/// Whether the text begins with `prefix`, which is then removed.
bool remove_prefix(std::string_view& text, std::string_view prefix);

} // namespace troupe::k8s
