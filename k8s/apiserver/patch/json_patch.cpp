#include "k8s/apiserver/patch/json_patch.hpp"

#include "k8s/apiserver/base/object_limits.hpp"
#include "k8s/text.hpp"

#include <algorithm>
#include <charconv>

namespace troupe::k8s::apiserver {

namespace {

constexpr std::size_t most_operations = 10000;
constexpr std::size_t most_copied_bytes = 3u << 20;
/// Of what is walked over or moved aside, in bytes: less than a second's worth.
constexpr std::size_t most_work = 256u << 20;

/// An operation cannot be applied; ends the patch.
struct patch_failure {
  status_error error;
};

[[noreturn]] void fail(const std::string& why) {
  throw patch_failure{{422, "Invalid",
                       "the server rejected our request due to an error in "
                       "our request: "
                           + why}};
}

[[noreturn]] void fail_too_large(const std::string& why) {
  throw patch_failure{
      {413, "RequestEntityTooLarge", "Request entity too large: " + why}};
}

/// The keys of a JSON pointer, without its escapes.
using pointer = std::vector<std::string>;

std::string unescape_key(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    bool escaped = text[i] == '~' && i + 1 < text.size()
                   && (text[i + 1] == '0' || text[i + 1] == '1');
    out += !escaped ? text[i] : text[++i] == '0' ? '~' : '/';
  }
  return out;
}

pointer read_pointer(const json& operation, const char* member) {
  auto* text = find_value(operation, {member});
  if (!text || !text->is_string())
    fail(std::string("an operation has no \"") + member + "\"");
  std::string_view rest = text->get_ref<const std::string&>();
  pointer out;
  if (!rest.empty() && rest.front() != '/')
    fail("\"" + std::string(rest) + "\" is no path: it must begin with '/'");
  while (!rest.empty()) {
    rest.remove_prefix(1);
    auto end = std::min(rest.find('/'), rest.size());
    if (out.size() == most_object_depth)
      throw patch_failure{too_deep_error()};
    out.push_back(unescape_key(rest.substr(0, end)));
    rest.remove_prefix(end);
  }
  return out;
}

/// Applies operations to one document.
class patcher {
public:
  explicit patcher(json document)
      : document_(std::move(document)) {}

  void apply(const json& operation) {
    const auto& op = text_at(operation, {"op"});
    auto path = read_pointer(operation, "path");
    if (op == "test")
      return fail_unless_equal(path, value_at(operation, {"value"}));
    if (op == "remove") {
      remove_and_return(path);
      return;
    }
    if (op == "move")
      return insert_or_replace(
          path, remove_and_return(read_pointer(operation, "from")), true);
    if (op == "copy")
      return copy(read_pointer(operation, "from"), path);
    auto* value = find_value(operation, {"value"});
    if ((op != "add" && op != "replace") || !value)
      fail(op != "add" && op != "replace" ? "\"" + op + "\" is no operation"
                                          : "an operation has no \"value\"");
    insert_or_replace(path, *value, op == "add");
  }

  json take_document() { return std::move(document_); }

private:
  void count_work_or_fail(std::size_t bytes) {
    work_ += bytes;
    if (work_ > most_work)
      fail_too_large("the operations of the patch move too much; send several "
                     "patches");
  }

  /// What is at a path; nullptr if there is nothing.
  json* find(const pointer& path, std::size_t count) {
    json* here = &document_;
    for (std::size_t i = 0; i < count; ++i) {
      if (here->is_object()) {
        auto member = here->find(path[i]);
        if (member == here->end())
          return nullptr;
        here = &*member;
      } else if (auto index = read_index(*here, path[i], false)) {
        here = &(*here)[*index];
      } else {
        return nullptr;
      }
    }
    return here;
  }

  /// The index of an item; with `may_be_end` also that of one behind the last.
  static std::optional<std::size_t>
  read_index(const json& list, const std::string& key, bool may_be_end) {
    if (!list.is_array())
      return std::nullopt;
    if (may_be_end && key == "-")
      return list.size();
    std::size_t index = 0;
    auto end = key.data() + key.size();
    auto [stop, error] = std::from_chars(key.data(), end, index);
    bool is_number = error == std::errc{} && stop == end;
    return is_number && index < list.size() + (may_be_end ? 1 : 0)
               ? std::optional{index}
               : std::nullopt;
  }

  json& find_parent_or_fail(const pointer& path) {
    auto* parent = find(path, path.size() - 1);
    if (!parent || !parent->is_structured())
      fail("there is nothing at \"/" + join(path, "/")
           + "\" into which a value could go");
    return *parent;
  }

  [[noreturn]] static void fail_missing(const pointer& path) {
    fail("there is no \"/" + join(path, "/") + "\"");
  }

  void fail_unless_equal(const pointer& path, const json& expected) {
    static const json nothing;
    auto* there = find(path, path.size());
    if ((there ? *there : nothing) != expected)
      fail("the test of \"/" + join(path, "/") + "\" failed");
  }

  json remove_and_return(const pointer& path) {
    if (path.empty())
      return std::exchange(document_, nullptr);
    auto& parent = find_parent_or_fail(path);
    json out;
    if (parent.is_object()) {
      auto member = parent.find(path.back());
      if (member == parent.end())
        fail_missing(path);
      out = std::move(*member);
      parent.erase(member);
      return out;
    }
    auto index = read_index(parent, path.back(), false);
    if (!index)
      fail_missing(path);
    count_work_or_fail((parent.size() - *index) * sizeof(json));
    out = std::move(parent[*index]);
    parent.erase(*index);
    return out;
  }

  void copy(const pointer& from, const pointer& to) {
    auto* there = find(from, from.size());
    if (!there)
      fail_missing(from);
    copied_ += measure_json(*there).bytes;
    if (copied_ > most_copied_bytes)
      fail_too_large("the operations of the patch may copy "
                     + std::to_string(most_copied_bytes) + " bytes");
    insert_or_replace(to, json(*there), true);
  }

  /// As API servers have it, a member that is to be replaced need not be there.
  void insert_or_replace(const pointer& path, json value, bool is_insertion) {
    auto extent = measure_json(value);
    count_work_or_fail(extent.bytes);
    if (path.size() + extent.depth > most_managed_fields_depth)
      throw patch_failure{too_deep_error()};
    if (path.empty()) {
      document_ = std::move(value);
      return;
    }
    auto& parent = find_parent_or_fail(path);
    if (parent.is_object()) {
      parent[path.back()] = std::move(value);
      return;
    }
    auto index = read_index(parent, path.back(), is_insertion);
    if (!index)
      fail_missing(path);
    if (!is_insertion) {
      parent[*index] = std::move(value);
      return;
    }
    count_work_or_fail((parent.size() - *index) * sizeof(json));
    parent.insert(parent.begin() + static_cast<std::ptrdiff_t>(*index),
                  std::move(value));
  }

  json document_;
  std::size_t copied_ = 0;
  std::size_t work_ = 0;
};

} // namespace

status_or<json> apply_json_patch(json document, const json& operations) {
  try {
    if (operations.size() > most_operations)
      fail_too_large("The allowed maximum operations in a JSON patch is "
                     + std::to_string(most_operations) + ", got "
                     + std::to_string(operations.size()));
    patcher p{std::move(document)};
    for (const auto& operation : operations)
      p.apply(operation);
    return p.take_document();
  } catch (patch_failure& failed) {
    return std::move(failed.error);
  }
}

} // namespace troupe::k8s::apiserver
