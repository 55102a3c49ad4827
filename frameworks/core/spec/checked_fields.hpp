#pragma once

#include "frameworks/core/model/job.hpp"

#include <nlohmann/json_fwd.hpp>

#include <chrono>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

namespace troupe::core {

/// Where a field is in what a user wrote, as errors tell it:
/// "spec.runPolicy.failurePolicy.rules[1].action", or, in the text of an
/// annotation, "metadata.annotations[NAME]: rules[1].action".
class field_path {
public:
  static field_path of_field(std::string field) {
    return {std::move(field), ".", {}};
  }
  static field_path of_annotation(const std::string& name) {
    return {"metadata.annotations[" + name + "]", ": ", {}};
  }

  field_path child(const std::string& name) const;
  field_path item(std::size_t index) const;
  std::string text() const;

private:
  field_path(std::string root, const char* separator, std::string below)
      : root_(std::move(root))
      , separator_(separator)
      , below_(std::move(below)) {}

  std::string root_;
  const char* separator_;
  std::string below_;
};

/// What is wrong with a text; the first ones, as nobody reads a thousand.
class field_errors {
public:
  void add(const field_path& at, std::string text);
  void add(field_error error);
  std::vector<field_error> take() { return std::move(errors_); }

private:
  std::vector<field_error> errors_;
};

/// How a value is told in an error: as JSON, without its end if it is long.
std::string value_for_error(const nlohmann::json& value);

/// 'supported values: "A", "B"' of A and B.
std::string supported_values(const std::vector<std::string>& values);

/// An object that a user wrote, read field by field. Whatever is wrong is told,
/// and then reads as if it were absent. A field that is null is absent.
class checked_object {
public:
  /// Other fields than the `known` ones are errors. Refers to its arguments.
  checked_object(const nlohmann::json& value, field_path at,
                 field_errors& errors, std::vector<std::string> known);

  const field_path& at() const { return at_; }
  bool is_object() const;
  bool has(const char* field) const { return find(field) != nullptr; }

  /// nullptr: absent.
  const nlohmann::json* find(const char* field) const;

  /// Text of 1 to `most` bytes.
  std::optional<std::string> text(const char* field, std::size_t most) const;
  /// One of these words.
  std::optional<std::string>
  word(const char* field, std::initializer_list<const char*> words) const;
  std::optional<bool> boolean(const char* field) const;
  std::optional<std::int32_t> number(const char* field, std::int32_t least,
                                     std::int32_t most) const;
  /// A text such as "1h30m".
  std::optional<std::chrono::seconds> duration(const char* field,
                                               std::chrono::seconds least,
                                               std::chrono::seconds most) const;
  /// A list of 1 to `most` items; an empty one if it is absent.
  const nlohmann::json& list(const char* field, std::size_t most) const;
  /// The same of different texts.
  std::vector<std::string> texts(const char* field, std::size_t most,
                                 std::size_t most_bytes) const;

  void add_error(const char* field, std::string text) const {
    errors_->add(at_.child(field), std::move(text));
  }
  /// Of the first item of a list that is this text.
  void add_error_of_item(const char* list, const std::string& item,
                         std::string text) const;

private:
  void check_names(const std::vector<std::string>& known) const;

  const nlohmann::json* value_; ///< An object, or null if it was none.
  field_path at_;
  field_errors* errors_;
};

} // namespace troupe::core
