#pragma once

#include "k8s/json.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace troupe::k8s::apiserver {

/// A part of a long string, and its form in JSON, if that differs.
struct string_block {
  std::string text;
  std::string escaped;

  const std::string& literal() const {
    return escaped.empty() ? text : escaped;
  }
};

using string_block_ptr = std::shared_ptr<const string_block>;

/// Keeps equal blocks once, as long as they are used. For one thread.
class string_block_pool
    : public std::enable_shared_from_this<string_block_pool> {
public:
  string_block_ptr share(std::string_view text);

  std::size_t size() const { return blocks_.size(); }

private:
  std::unordered_map<std::string_view, std::weak_ptr<const string_block>>
      blocks_;
};

/// The text of an object, minified JSON. With a pool its long strings are in
/// blocks, which are shared by the versions of an object, and by objects whose
/// strings begin alike: each pod of a job of ten thousand replicas has the
/// names of all of them.
class object_text {
public:
  object_text(const json& value, string_block_pool* pool);

  std::size_t size() const { return size_; }
  void append_to(std::string& out) const;
  /// Appends the value that the object has under this key, if it has one.
  void append_member_to(std::string& out, std::string_view key) const;
  json parse() const;
  /// Reads only the members at these paths, much faster than the whole object.
  /// The result is an object that has each existing member at its path. Strings
  /// of 8 KiB or more may be empty in it.
  json
  parse_members_without_long_strings(const std::vector<json_path>& paths) const;

private:
  struct long_string {
    std::size_t position = 0; ///< In `rest_`, between its quotes.
    std::size_t index = 0;    ///< Among all strings that are no keys.
    std::vector<string_block_ptr> blocks;
  };

  void append_part_to(std::string& out, std::size_t begin,
                      std::size_t end) const;

  std::string rest_; ///< With "" in the places of long strings.
  std::vector<long_string> long_strings_; ///< In the order of the text.
  std::size_t size_ = 0;                  ///< Of all.
};

} // namespace troupe::k8s::apiserver
