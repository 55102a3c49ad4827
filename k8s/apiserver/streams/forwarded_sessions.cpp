#include "k8s/apiserver/streams/forwarded_sessions.hpp"

namespace troupe::k8s::apiserver {

namespace {

/// Bytes that a client has not taken, above which connections wait.
constexpr std::size_t most_unsent_forwarded = 1u << 20;
/// Bytes that pods have not taken, above which the client waits: with it all
/// its connections, so it is more than one of them needs.
constexpr std::size_t most_input = 8u << 20;

} // namespace

void forwarded_sessions::open(const std::string& id, std::uint16_t port,
                              listener l) {
  auto& c = open_[id];
  c.tells = std::move(l);
  std::weak_ptr<forwarded_sessions> weak = weak_from_this();
  auto to = client_;
  // What comes from the pod goes to the client at once; its own part in what
  // else happens is on this thread.
  c.session = start_(
      port, {[to, format = c.tells.format_output](output_stream,
                                                  const std::string& bytes) {
               to->send(format(bytes));
             },
             [to, paused = is_any_paused_] {
               // Again, for the case that all is drained meanwhile.
               bool is_ready = to->backlog() < most_unsent_forwarded;
               if (!is_ready)
                 *paused = true;
               return is_ready || to->backlog() < most_unsent_forwarded;
             },
             [to, weak, id] {
               to->post([weak, id] {
                 if (auto self = weak.lock())
                   self->on_input_taken(id);
               });
             },
             [to, weak, id](const result<int>& how) {
               to->post([weak, id, why = how ? "" : how.error().message] {
                 if (auto self = weak.lock())
                   self->on_session_end(id, why);
               });
             }});
}

void forwarded_sessions::send_input(const std::string& id, std::string bytes,
                                    bool is_last) {
  auto i = open_.find(id);
  if (i == open_.end())
    return;
  auto& c = i->second;
  bool was_idle = c.input.empty();
  if (!bytes.empty()) {
    input_bytes_ += bytes.size();
    c.input.push_back(std::move(bytes));
  }
  c.is_input_closed = c.is_input_closed || is_last;
  if (was_idle)
    write_next_input_or_close(c);
}

void forwarded_sessions::write_next_input_or_close(connection& c) {
  if (!c.input.empty())
    c.session->write_input(c.input.front());
  else if (c.is_input_closed)
    c.session->close_input();
}

void forwarded_sessions::on_input_taken(const std::string& id) {
  auto i = open_.find(id);
  if (i == open_.end() || i->second.input.empty())
    return;
  input_bytes_ -= i->second.input.front().size();
  i->second.input.pop_front();
  write_next_input_or_close(i->second);
  if (is_held_)
    request_message();
}

void forwarded_sessions::on_session_end(const std::string& id,
                                        const std::string& why) {
  auto i = open_.find(id);
  if (i == open_.end())
    return;
  auto on_end = std::move(i->second.tells.on_end);
  erase(i);
  on_end(why);
}

void forwarded_sessions::close(const std::string& id) {
  if (auto i = open_.find(id); i != open_.end())
    erase(i);
}

void forwarded_sessions::erase(connections::iterator i) {
  for (const auto& bytes : i->second.input)
    input_bytes_ -= bytes.size();
  open_.erase(i);
  if (is_held_)
    request_message();
}

void forwarded_sessions::request_message() {
  is_held_ = input_bytes_ > most_input;
  if (!is_held_)
    client_->request_message();
}

void forwarded_sessions::resume_output() {
  if (!is_any_paused_->exchange(false))
    return;
  for (auto& [id, c] : open_)
    if (c.session)
      c.session->resume_output();
}

} // namespace troupe::k8s::apiserver
