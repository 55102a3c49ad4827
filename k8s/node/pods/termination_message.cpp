#include "k8s/node/pods/termination_message.hpp"

#include "k8s/text.hpp"

#include <algorithm>

namespace troupe::k8s::node {

namespace {

constexpr std::size_t most_bytes_of_pod = 12u << 10;

/// Bytes that are no text become question marks, one by one, so that the text
/// does not grow; what is left of a character at the beginning is dropped.
std::string as_utf8(std::string text) {
  auto is_rest = [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0u) == 0x80u;
  };
  for (int i = 0; i < 3 && !text.empty() && is_rest(text.front()); ++i)
    text.erase(0, 1);
  if (is_utf8(text))
    return text;
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t length = 1;
    while (length < 4 && at + length < text.size()
           && is_rest(text[at + length]))
      ++length;
    auto character = std::string_view{text}.substr(at, length);
    // Continuation bytes may follow that are no part of it.
    while (!character.empty() && !is_utf8(character))
      character.remove_suffix(1);
    out += character.empty() ? "?" : character;
    at += std::max<std::size_t>(character.size(), 1);
  }
  return out;
}

} // namespace

std::string
make_termination_message(const json& container, const container_ending& ending,
                         const result<std::string>& file,
                         const std::function<std::string()>& read_end_of_log) {
  std::string own;
  if (!file)
    own = "Error on reading termination log "
          + text_at(container, {"terminationMessagePath"}) + ": "
          + file.error().message;
  else if (file->empty() && ending.exit_code != 0 && ending.has_started
           && text_at(container, {"terminationMessagePolicy"})
                  == "FallbackToLogsOnError")
    own = read_end_of_log();
  else
    own = *file;
  auto text = ending.message;
  if (!text.empty() && !own.empty())
    text += ": ";
  text += as_utf8(std::move(own));
  return utf8_prefix(text, most_bytes_of_pod
                               / std::max<std::size_t>(ending.containers, 1));
}

} // namespace troupe::k8s::node
