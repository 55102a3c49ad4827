#include "k8s/node/namespaces/dns_message.hpp"

#include "k8s/text.hpp"

#include <arpa/inet.h>

namespace troupe::k8s::node {

namespace {

constexpr std::size_t head_size = 12;
constexpr std::size_t most_label_bytes = 63;
constexpr std::size_t most_name_bytes = 255;
constexpr std::uint16_t extension_type = 41; ///< OPT
constexpr std::uint16_t internet = 1;
constexpr std::uint32_t seconds_to_live = 1; ///< Pods come and go.

// Bits of the second word.
constexpr unsigned is_response = 0x8000;
constexpr unsigned operation = 0x7800;
constexpr unsigned is_authoritative = 0x0400;
constexpr unsigned is_truncated = 0x0200;
constexpr unsigned recursion_desired = 0x0100;
constexpr unsigned recursion_available = 0x0080;

/// Reads a message from its beginning; `failed` once it is too short.
class message_reader {
public:
  explicit message_reader(std::string_view text)
      : text_(text) {}

  unsigned read_byte() {
    if (at_ >= text_.size()) {
      failed_ = true;
      return 0;
    }
    return static_cast<unsigned char>(text_[at_++]);
  }

  std::uint16_t read_word() {
    auto high = read_byte();
    return static_cast<std::uint16_t>(high << 8 | read_byte());
  }

  void skip(std::size_t n) {
    if (n > text_.size() - at_)
      failed_ = true;
    else
      at_ += n;
  }

  /// Labels until the empty one. A question's name is not compressed.
  std::string read_name() {
    std::string out;
    while (auto length = read_byte()) {
      if (length > most_label_bytes || length > text_.size() - at_
          || out.size() + length > most_name_bytes) {
        failed_ = true;
        return {};
      }
      out += (out.empty() ? "" : ".") + std::string{text_.substr(at_, length)};
      at_ += length;
    }
    return out;
  }

  std::size_t position() const { return at_; }
  bool has_failed() const { return failed_; }

private:
  std::string_view text_;
  std::size_t at_ = 0;
  bool failed_ = false;
};

void append_word(std::string& out, unsigned value) {
  out += static_cast<char>(value >> 8 & 0xff);
  out += static_cast<char>(value & 0xff);
}

std::string encode_dns_name(const std::string& name) {
  std::string out;
  for (std::size_t at = 0; at < name.size();) {
    auto dot = std::min(name.find('.', at), name.size());
    auto label = name.substr(at, std::min(dot - at, most_label_bytes));
    out += static_cast<char>(label.size()) + label;
    at = dot + 1;
  }
  return out + '\0';
}

/// A record about the name in the question.
std::string make_dns_record(dns_type type, const std::string& data) {
  std::string out;
  append_word(out, 0xc000 | head_size); // The name is there.
  append_word(out, static_cast<unsigned>(type));
  append_word(out, internet);
  append_word(out, seconds_to_live >> 16);
  append_word(out, seconds_to_live & 0xffff);
  append_word(out, static_cast<unsigned>(data.size()));
  return out + data;
}

std::vector<std::string> make_dns_records(const dns_answer& answer) {
  std::vector<std::string> out;
  for (const auto& text : answer.addresses) {
    in_addr a{};
    if (::inet_pton(AF_INET, text.c_str(), &a) == 1)
      out.push_back(make_dns_record(
          dns_type::a,
          std::string{reinterpret_cast<const char*>(&a), sizeof a}));
  }
  for (const auto& name : answer.names)
    out.push_back(make_dns_record(dns_type::ptr, encode_dns_name(name)));
  return out;
}

/// The limit of the datagrams that we send, where the asker has told his.
std::string make_opt_record(std::size_t limit) {
  std::string out(1, '\0');
  append_word(out, extension_type);
  append_word(out, static_cast<unsigned>(limit));
  return out + std::string(6, '\0'); // Flags; no options.
}

} // namespace

std::optional<dns_query> parse_dns_query(std::string_view message) {
  message_reader in{message};
  dns_query q;
  q.id = in.read_word();
  unsigned flags = in.read_word();
  auto questions = in.read_word();
  auto records = in.read_word() + in.read_word();
  auto additional = in.read_word();
  if (in.has_failed() || (flags & (is_response | operation)) != 0
      || questions != 1 || records != 0)
    return std::nullopt;
  q.wants_recursion = (flags & recursion_desired) != 0;
  auto begin = in.position();
  q.name = lower_case(in.read_name());
  q.type = in.read_word();
  q.address_class = in.read_word();
  if (in.has_failed())
    return std::nullopt;
  q.question = std::string{message.substr(begin, in.position() - begin)};
  for (; additional > 0 && !in.has_failed(); --additional) {
    bool is_root = in.read_name().empty();
    auto type = in.read_word();
    std::size_t size = in.read_word();
    in.skip(4);
    in.skip(in.read_word());
    if (!in.has_failed() && is_root && type == extension_type) {
      q.has_extension = true;
      q.limit = std::max(q.limit, size);
    }
  }
  return q;
}

std::string make_dns_response(const dns_query& q, const dns_answer& answer,
                              std::size_t limit) {
  auto extension = q.has_extension ? make_opt_record(limit) : std::string{};
  std::string records;
  unsigned count = 0;
  unsigned truncated = 0;
  for (const auto& r : make_dns_records(answer)) {
    if (head_size + q.question.size() + records.size() + r.size()
            + extension.size()
        > limit) {
      truncated = is_truncated;
      break;
    }
    records += r;
    ++count;
  }
  std::string out;
  append_word(out, q.id);
  append_word(out, is_response | is_authoritative | recursion_available
                       | truncated | (q.wants_recursion ? recursion_desired : 0)
                       | static_cast<unsigned>(answer.code));
  append_word(out, 1);
  append_word(out, count);
  append_word(out, 0);
  append_word(out, q.has_extension ? 1 : 0);
  return out + q.question + records + extension;
}

} // namespace troupe::k8s::node
