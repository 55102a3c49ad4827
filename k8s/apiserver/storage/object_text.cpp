#include "k8s/apiserver/storage/object_text.hpp"

#include "k8s/json_parts.hpp"
#include "k8s/text.hpp"

namespace troupe::k8s::apiserver {

namespace {

constexpr std::size_t block_size = 4096;
/// Below that there is little to share.
constexpr std::size_t least_long = 2 * block_size;

bool is_worth_sharing(const std::string& s) {
  return s.size() >= least_long && is_utf8(s);
}

/// The length of the first block: no character is cut.
std::size_t first_block_size(std::string_view text) {
  if (text.size() <= block_size)
    return text.size();
  auto end = block_size;
  while ((static_cast<unsigned char>(text[end]) & 0xc0) == 0x80)
    --end;
  return end;
}

std::vector<string_block_ptr> share_blocks(string_block_pool& pool,
                                           std::string_view text) {
  std::vector<string_block_ptr> out;
  out.reserve(text.size() / block_size + 1);
  while (!text.empty()) {
    auto end = first_block_size(text);
    out.push_back(pool.share(text.substr(0, end)));
    text.remove_prefix(end);
  }
  return out;
}

/// Calls `f` for all strings that are no keys, as they follow in the text.
template <class F>
void for_each_string_value(json& value, const F& f) {
  if (value.is_string())
    f(value.get_ref<std::string&>());
  else if (value.is_structured())
    for (auto& v : value)
      for_each_string_value(v, f);
}

} // namespace

string_block_ptr string_block_pool::share(std::string_view text) {
  if (auto known = blocks_.find(text); known != blocks_.end())
    return known->second.lock();
  auto made = std::make_unique<string_block>();
  made->text = text;
  append_quoted(made->escaped, text);
  made->escaped = made->escaped.substr(1, made->escaped.size() - 2);
  if (made->escaped == text)
    made->escaped = {};
  string_block_ptr shared{made.release(),
                          [pool = shared_from_this()](const string_block* b) {
                            pool->blocks_.erase(b->text);
                            delete b;
                          }};
  blocks_.emplace(shared->text, shared);
  return shared;
}

object_text::object_text(const json& value, string_block_pool* pool) {
  rest_.reserve(1024);
  std::size_t index = 0;
  append_text(rest_, value, [&](std::string& out, const std::string& s) {
    if (pool && is_worth_sharing(s)) {
      out += "\"\"";
      long_strings_.push_back({out.size() - 1, index, share_blocks(*pool, s)});
    } else {
      append_quoted(out, s);
    }
    ++index;
  });
  rest_.shrink_to_fit();
  size_ = rest_.size();
  for (const auto& s : long_strings_)
    for (const auto& block : s.blocks)
      size_ += block->literal().size();
}

void object_text::append_part_to(std::string& out, std::size_t begin,
                                 std::size_t end) const {
  for (const auto& s : long_strings_) {
    if (s.position < begin || s.position >= end)
      continue;
    out.append(rest_, begin, s.position - begin);
    for (const auto& block : s.blocks)
      out += block->literal();
    begin = s.position;
  }
  out.append(rest_, begin, end - begin);
}

void object_text::append_to(std::string& out) const {
  append_part_to(out, 0, rest_.size());
}

void object_text::append_member_to(std::string& out,
                                   std::string_view key) const {
  auto part = find_json_member(rest_, key);
  if (!part.data())
    return;
  auto begin = static_cast<std::size_t>(part.data() - rest_.data());
  append_part_to(out, begin, begin + part.size());
}

json object_text::parse_members_without_long_strings(
    const std::vector<json_path>& paths) const {
  auto out = json::object();
  for (const auto& path : paths) {
    std::string_view part = rest_;
    for (const auto& key : path)
      if (part.data())
        part = find_json_member(part, key);
    if (!part.data())
      continue;
    auto* member = &out;
    for (const auto& key : path)
      member = &(*member)[key];
    *member = parse_json_or_null(part);
  }
  return out;
}

json object_text::parse() const {
  auto value = parse_json_or_null(rest_);
  if (long_strings_.empty())
    return value;
  auto next = long_strings_.begin();
  std::size_t index = 0;
  for_each_string_value(value, [&](std::string& s) {
    if (next == long_strings_.end() || index++ != next->index)
      return;
    s.reserve(next->blocks.size() * block_size);
    for (const auto& block : next->blocks)
      s += block->text;
    ++next;
  });
  return value;
}

} // namespace troupe::k8s::apiserver
