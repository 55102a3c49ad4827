#include "k8s/node/streams/pod_streams.hpp"

#include "k8s/node/base/pod_fields.hpp"
#include "k8s/node/namespaces/cluster_namespaces.hpp"
#include "k8s/node/streams/forwarded_connection.hpp"

#include <boost/asio/post.hpp>

namespace troupe::k8s::node {

namespace asio = boost::asio;

namespace {

/// A command: the container has the process, and may end it.
class exec_session : public pod_stream_session {
public:
  explicit exec_session(std::weak_ptr<exec_process> p)
      : process_(std::move(p)) {}

  void write_input(std::string bytes) override {
    if (auto p = process_.lock())
      p->write_input(std::move(bytes));
  }
  void close_input() override {
    if (auto p = process_.lock())
      p->close_input();
  }
  void resize_terminal(std::uint16_t width, std::uint16_t height) override {
    if (auto p = process_.lock())
      p->resize_terminal(width, height);
  }
  void resume_output() override {
    if (auto p = process_.lock())
      p->resume_output();
  }
  void on_client_disconnected() override {
    if (auto p = process_.lock())
      p->terminate_or_kill_dropping_output();
  }

private:
  std::weak_ptr<exec_process> process_;
};

/// The streams of a container's own program, in its present life. Output and
/// errors come from its log, which has both.
class attach_session : public pod_stream_session,
                       public std::enable_shared_from_this<attach_session> {
public:
  attach_session(pod_workers& pods, container_ref where, bool has_stdin,
                 session_sink to)
      : pods_(pods)
      , where_(std::move(where))
      , has_stdin_(has_stdin)
      , to_(std::move(to)) {}

  void follow_log(container_log& log) {
    log_options from_now;
    from_now.follow = true;
    from_now.tail_lines = 0;
    log.add_reader(from_now, std::chrono::system_clock::now(),
                   {[self = shared_from_this()](std::string text) {
                      if (self->to_.output)
                        self->to_.output(output_stream::standard_output,
                                         std::move(text));
                      return !self->is_closed_;
                    },
                    [self = shared_from_this()](result<nothing>) {
                      if (auto end = std::exchange(self->to_.end, nullptr))
                        end(0);
                    },
                    [self = shared_from_this()] {
                      return self->is_closed_ || self->to_.is_ready();
                    }});
  }

  void write_input(std::string bytes) override {
    auto taken = [self = shared_from_this()] {
      if (self->to_.on_input_taken)
        self->to_.on_input_taken();
    };
    if (auto* input = find_program_input())
      input->write(std::move(bytes), taken);
    else
      taken(); // Nobody reads it.
  }
  void close_input() override {
    if (auto* run = pods_.find_pod_run(where_.ns, where_.pod);
        run && has_stdin_ && run->has_stdin_once(where_.container))
      if (auto* input = find_program_input())
        input->close_after_pending_writes();
  }
  void resize_terminal(std::uint16_t width, std::uint16_t height) override {
    if (auto* input = find_program_input())
      input->resize_terminal(width, height);
  }
  void resume_output() override {} // The log asks by itself.
  void on_client_disconnected() override {
    close_input();
    is_closed_ = true;
    to_ = {};
  }

private:
  program_input* find_program_input() const {
    auto* run = pods_.find_pod_run(where_.ns, where_.pod);
    auto* program = run ? run->find_running_process(where_.container) : nullptr;
    return program ? program->input() : nullptr;
  }

  pod_workers& pods_;
  const container_ref where_;
  const bool has_stdin_;
  bool is_closed_ = false;
  session_sink to_;
};

/// A session for other threads. What it is asked before the session has begun
/// waits behind the beginning.
class cross_thread_session : public stream_session {
public:
  cross_thread_session(std::shared_ptr<asio::io_context> io,
                       std::shared_ptr<pod_stream_session_ptr> session_slot)
      : io_(std::move(io))
      , session_slot_(std::move(session_slot)) {}
  ~cross_thread_session() override {
    post([](pod_stream_session& s) { s.on_client_disconnected(); });
  }
  void write_input(std::string bytes) override {
    post([b = std::move(bytes)](pod_stream_session& s) mutable {
      s.write_input(std::move(b));
    });
  }
  void close_input() override {
    post([](pod_stream_session& s) { s.close_input(); });
  }
  void resize_terminal(std::uint16_t width, std::uint16_t height) override {
    post([=](pod_stream_session& s) { s.resize_terminal(width, height); });
  }
  void resume_output() override {
    post([](pod_stream_session& s) { s.resume_output(); });
  }

private:
  template <class F>
  void post(F f) {
    asio::post(*io_,
               [session_slot = session_slot_, f = std::move(f)]() mutable {
                 if (*session_slot)
                   f(**session_slot);
               });
  }

  std::shared_ptr<asio::io_context> io_;
  std::shared_ptr<pod_stream_session_ptr> session_slot_;
};

failure container_not_found_error(const std::string& name) {
  return {ec::not_found, "container not found (\"" + name + "\")"};
}

} // namespace

void pod_streams::reject_new_sessions() {
  std::lock_guard guard{mutex_};
  is_closed_ = true;
}

/// `start` makes the session on the node's thread, or says why there is none.
template <class F>
stream_session_ptr pod_streams::open_session(session_sink to, F start) {
  auto session_slot = std::make_shared<pod_stream_session_ptr>();
  auto session = std::make_shared<cross_thread_session>(io_, session_slot);
  std::unique_lock guard{mutex_};
  if (is_closed_) {
    guard.unlock();
    to.end(failure{ec::not_found, "the node has ended"});
    return session;
  }
  asio::post(*io_,
             [session_slot, to = std::move(to), start = std::move(start)] {
               result<pod_stream_session_ptr> started = start(to);
               if (started)
                 *session_slot = *started;
               else
                 to.end(started.error());
             });
  return session;
}

stream_session_ptr pod_streams::exec(const container_ref& where,
                                     exec_options options, session_sink to) {
  return open_session(
      std::move(to),
      [this, where, options = std::move(options)](
          const session_sink& sink) -> result<pod_stream_session_ptr> {
        auto* run = pods_.find_pod_run(where.ns, where.pod);
        if (!run)
          return container_not_found_error(where.container);
        auto command = run->exec(where.container, options, sink);
        if (!command)
          return command.error();
        return pod_stream_session_ptr{std::make_shared<exec_session>(*command)};
      });
}

stream_session_ptr pod_streams::attach(const container_ref& where,
                                       const exec_options& options,
                                       session_sink to) {
  return open_session(
      std::move(to),
      [this, where, has_stdin = options.has_stdin](
          const session_sink& sink) -> result<pod_stream_session_ptr> {
        auto* run = pods_.find_pod_run(where.ns, where.pod);
        if (!run || !run->find_running_process(where.container))
          return container_not_found_error(where.container);
        auto session =
            std::make_shared<attach_session>(pods_, where, has_stdin, sink);
        session->follow_log(*run->find_log(where.container, false));
        return pod_stream_session_ptr{session};
      });
}

stream_session_ptr pod_streams::forward_port(const std::string& ns,
                                             const std::string& pod,
                                             std::uint16_t port,
                                             session_sink to) {
  return open_session(
      std::move(to),
      [this, ns, pod,
       port](const session_sink& sink) -> result<pod_stream_session_ptr> {
        auto what =
            "error forwarding port " + std::to_string(port) + " to pod " + pod;
        auto* run = pods_.find_pod_run(ns, pod);
        if (!run || run->status().is_terminal())
          return failure{ec::not_found, what + ": the pod does not run"};
        unique_descriptor socket;
        if (const auto& cluster = run->sandbox().namespaces.cluster) {
          auto made = cluster->make_cluster_socket(SOCK_STREAM);
          if (!made)
            return failure{made.error().code,
                           what + ": " + made.error().message};
          socket = std::move(*made); // Of the pods' network, never -1.
        }
        auto session = std::make_shared<forwarded_connection>(*io_, sink);
        session->connect(run->sandbox().address, port,
                         what + ", uid " + uid_of(run->pod()),
                         std::move(socket));
        return pod_stream_session_ptr{session};
      });
}

} // namespace troupe::k8s::node
