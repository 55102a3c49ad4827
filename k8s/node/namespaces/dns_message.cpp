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

  unsigned byte() {
    if (at_ >= text_.size()) {
      failed_ = true;
      return 0;
    }
    return static_cast<unsigned char>(text_[at_++]);
  }

  std::uint16_t word() {
    auto high = byte();
    return static_cast<std::uint16_t>(high << 8 | byte());
  }

  void skip(std::size_t n) {
    if (n > text_.size() - at_)
      failed_ = true;
    else
      at_ += n;
  }

  /// Labels until the empty one. A question's name is not compressed.
  std::string name() {
    std::string out;
    while (auto length = byte()) {
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
  bool failed() const { return failed_; }

private:
  std::string_view text_;
  std::size_t at_ = 0;
  bool failed_ = false;
};

void put_word(std::string& out, unsigned value) {
  out += static_cast<char>(value >> 8 & 0xff);
  out += static_cast<char>(value & 0xff);
}

std::string encode_name(const std::string& name) {
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
std::string make_record(dns_type type, const std::string& data) {
  std::string out;
  put_word(out, 0xc000 | head_size); // The name is there.
  put_word(out, static_cast<unsigned>(type));
  put_word(out, internet);
  put_word(out, seconds_to_live >> 16);
  put_word(out, seconds_to_live & 0xffff);
  put_word(out, static_cast<unsigned>(data.size()));
  return out + data;
}

std::vector<std::string> make_records(const dns_answer& answer) {
  std::vector<std::string> out;
  for (const auto& text : answer.addresses) {
    in_addr a{};
    if (::inet_pton(AF_INET, text.c_str(), &a) == 1)
      out.push_back(make_record(
          dns_type::a,
          std::string{reinterpret_cast<const char*>(&a), sizeof a}));
  }
  for (const auto& name : answer.names)
    out.push_back(make_record(dns_type::ptr, encode_name(name)));
  return out;
}

/// The limit of the datagrams that we send, where the asker has told his.
std::string make_extension(std::size_t limit) {
  std::string out(1, '\0');
  put_word(out, extension_type);
  put_word(out, static_cast<unsigned>(limit));
  return out + std::string(6, '\0'); // Flags; no options.
}

} // namespace

std::optional<dns_query> parse_dns_query(std::string_view message) {
  message_reader in{message};
  dns_query q;
  q.id = in.word();
  unsigned flags = in.word();
  auto questions = in.word();
  auto records = in.word() + in.word();
  auto additional = in.word();
  if (in.failed() || (flags & (is_response | operation)) != 0 || questions != 1
      || records != 0)
    return std::nullopt;
  q.wants_recursion = (flags & recursion_desired) != 0;
  auto begin = in.position();
  q.name = lower_case(in.name());
  q.type = in.word();
  q.address_class = in.word();
  if (in.failed())
    return std::nullopt;
  q.question = std::string{message.substr(begin, in.position() - begin)};
  for (; additional > 0 && !in.failed(); --additional) {
    bool is_root = in.name().empty();
    auto type = in.word();
    std::size_t size = in.word();
    in.skip(4);
    in.skip(in.word());
    if (!in.failed() && is_root && type == extension_type) {
      q.has_extension = true;
      q.limit = std::max(q.limit, size);
    }
  }
  return q;
}

std::string make_dns_response(const dns_query& q, const dns_answer& answer,
                              std::size_t limit) {
  auto extension = q.has_extension ? make_extension(limit) : std::string{};
  std::string records;
  unsigned count = 0;
  unsigned truncated = 0;
  for (const auto& r : make_records(answer)) {
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
  put_word(out, q.id);
  put_word(out, is_response | is_authoritative | recursion_available | truncated
                    | (q.wants_recursion ? recursion_desired : 0)
                    | static_cast<unsigned>(answer.code));
  put_word(out, 1);
  put_word(out, count);
  put_word(out, 0);
  put_word(out, q.has_extension ? 1 : 0);
  return out + q.question + records + extension;
}

} // namespace troupe::k8s::node
