#pragma once

#include "k8s/apiserver/storage/object_text.hpp"
#include "k8s/json.hpp"

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>

namespace troupe::k8s::apiserver {

class value_cache;

/// One state of one object: its text, and its value, which is parsed from the
/// text when it is asked for and may be dropped again (see value_cache).
/// Shared; the text never changes. Single-threaded, like the store.
class stored_object {
public:
  /// An object that keeps its value. Its text is minified; with a pool it
  /// shares its long strings.
  explicit stored_object(json value, std::uint64_t resource_version = 0,
                         string_block_pool* pool = nullptr);
  stored_object(const stored_object&) = delete;

  /// The reference is valid while a value_cache::pin lives.
  const json& value() const;
  /// Calls `f` with the value and returns its result. A value that had to be
  /// parsed for the call is not kept: for callers that look at many objects.
  template <class F>
  auto read_value(F f) const {
    return value_ ? f(*value_) : f(text_.parse());
  }
  /// The same with a value that has these members at least; see
  /// object_text::parse_members_without_long_strings.
  template <class F>
  auto read_members(const std::vector<json_path>& paths, F f) const {
    return value_ ? f(*value_)
                  : f(text_.parse_members_without_long_strings(paths));
  }
  std::string text() const;
  void append_text_to(std::string& out) const { text_.append_to(out); }
  /// See object_text::append_member_to.
  void append_member_text_to(std::string& out, std::string_view key) const {
    text_.append_member_to(out, key);
  }
  std::size_t text_size() const { return text_.size(); }
  const std::string& api_version() const { return api_version_; }
  std::uint64_t resource_version() const { return resource_version_; }

private:
  friend class value_cache;

  mutable std::optional<json> value_;
  object_text text_;
  std::string api_version_;
  std::uint64_t resource_version_;
  std::weak_ptr<const stored_object> self_; ///< Set if it is cached.
  std::shared_ptr<value_cache> cache_; ///< Null: the object keeps its value.
};

using stored_object_ptr = std::shared_ptr<const stored_object>;

/// Bounds the memory of parsed values, which take several times that of their
/// texts, and keeps the blocks that texts share. Single-threaded, like the
/// store.
class value_cache : public std::enable_shared_from_this<value_cache> {
public:
  /// Keeps the values that were parsed last, up to `limit` bytes of text.
  explicit value_cache(std::size_t limit = 1 << 18)
      : limit_(limit) {}

  /// How many bytes the texts have whose values were parsed and not dropped;
  /// those of deleted objects count until their turn comes.
  std::size_t size() const { return text_size_; }

  /// How many blocks of long strings the texts of objects have now.
  std::size_t shared_block_count() const { return blocks_->size(); }

  /// Makes an object whose value this cache may drop.
  stored_object_ptr make_stored_object(json value,
                                       std::uint64_t resource_version);

  /// While one of these lives no value is dropped, so that references to values
  /// stay valid. The end of the last pin drops the values beyond the limit.
  class pin {
  public:
    explicit pin(value_cache& c)
        : cache_(c) {
      ++cache_.pins_;
    }
    ~pin() {
      if (--cache_.pins_ == 0)
        cache_.drop_values_beyond_limit();
    }
    pin(const pin&) = delete;

  private:
    value_cache& cache_;
  };

private:
  friend class stored_object;

  struct entry {
    std::weak_ptr<const stored_object> object;
    std::size_t text_size = 0;
  };

  void add_parsed_value(const stored_object& parsed);
  void drop_values_beyond_limit();

  std::shared_ptr<string_block_pool> blocks_ =
      std::make_shared<string_block_pool>();
  std::size_t limit_;
  std::size_t text_size_ = 0; ///< Of all `parsed_`.
  std::deque<entry> parsed_;  ///< The oldest first.
  int pins_ = 0;
};

} // namespace troupe::k8s::apiserver
