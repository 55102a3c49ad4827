#include "k8s/http/connection.hpp"
#include "k8s/json.hpp"
#include "tests/fuzz/fuzz_input.hpp"

#include <sys/socket.h>
#include <unistd.h>
#include <utility>

// What a client sends on one connection to an HTTP server: the second byte on.
// The first one says in which pieces it comes.

namespace {

using namespace troupe::k8s;
using troupe::fuzz::require;

/// What one connection led to.
struct outcome {
  std::vector<std::string> requests;
  std::string answers;
};

/// What is no HTTP is refused or, if the client leaves before this shows,
/// dropped; which of both, the pieces may decide.
std::string without_refusal(const std::string& answers) {
  return answers.substr(0, answers.find("HTTP/1.1 400 "));
}

bool operator==(const outcome& a, const outcome& b) {
  return a.requests == b.requests
         && without_refusal(a.answers) == without_refusal(b.answers);
}

std::string text_of(const http::request& r) {
  return to_text(json{{"method", r.method},
                      {"path", r.path},
                      {"query", r.query},
                      {"headers", r.headers},
                      {"body", r.body}});
}

/// A server with one client, on a pair of sockets and this thread.
class single_connection {
public:
  single_connection()
      : context_(
          [this](http::request r, http::response_writer_ptr back) {
            answer(std::move(r), std::move(back));
          },
          small_limits(), access()) {
    context_.ends.bound = boost::asio::ip::address_v4::loopback();
    context_.ends.port = 80;
    context_.executor->io = &io_;
    context_.executor->thread = std::this_thread::get_id();
    int ends[2];
    require(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends) == 0,
            "there are sockets");
    client_ = ends[0];
    boost::asio::ip::tcp::socket server{io_};
    server.assign(boost::asio::ip::tcp::v4(), ends[1]);
    std::make_shared<http::connection>(std::move(server), context_)
        ->start_serving();
    run();
  }

  ~single_connection() {
    ::close(client_);
    context_.executor->io = nullptr; // Writers may outlive it.
  }

  void send(std::string_view piece) {
    (void)::send(client_, piece.data(), piece.size(), MSG_NOSIGNAL);
    run();
  }

  outcome end() {
    ::shutdown(client_, SHUT_WR);
    run();
    require(context_.present.empty(), "a client that has left is forgotten");
    return std::move(seen_);
  }

private:
  /// So that short inputs reach them.
  static http::limits small_limits() {
    http::limits l;
    l.header_bytes = 1024;
    l.body_bytes = 1024;
    return l;
  }

  static http::access_policy access() {
    http::access_policy p;
    p.body_media_types = {"application/json", "text/plain"};
    return p;
  }

  /// Until nothing happens without the client.
  void run() {
    do
      io_.restart();
    while (io_.poll() > 0 || receive() || answer_late());
  }

  bool receive() {
    char bytes[4096];
    auto n = ::recv(client_, bytes, sizeof bytes, 0);
    if (n > 0)
      seen_.answers.append(bytes, static_cast<std::size_t>(n));
    return n > 0;
  }

  void answer(http::request r, http::response_writer_ptr back) {
    require(!r.path.empty() && r.path.find('\0') == r.path.npos,
            "a request has a path");
    seen_.requests.push_back(text_of(r));
    http::response out;
    out.body = r.path;
    out.headers["X-Query"] = r.query_param("q");
    if (r.path == "/stream") {
      back->start(out);
      back->write(r.body);
      back->finish();
    } else if (r.path == "/late") {
      late_.push_back(std::move(back));
    } else if (r.path != "/dropped") {
      back->reply(out);
    }
  }

  bool answer_late() {
    for (auto& back : std::exchange(late_, {})) {
      back->reply({});
      return true;
    }
    return false;
  }

  // The context outlives the connection, which io_ owns.
  http::server_context context_;
  boost::asio::io_context io_{1};
  int client_ = -1;
  std::vector<http::response_writer_ptr> late_;
  outcome seen_;
};

outcome serve(const std::vector<std::string_view>& pieces) {
  single_connection c;
  for (auto piece : pieces)
    c.send(piece);
  return c.end();
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  troupe::fuzz::fuzz_input input{data, size};
  auto seed = input.take_byte();
  auto whole = serve({input.rest()});
  require(whole.answers.empty() || whole.answers.rfind("HTTP/1.1 ", 0) == 0,
          "an answer begins with its status line");
  require(whole == serve(troupe::fuzz::cut(input.rest(), seed)),
          "requests and answers do not depend on the pieces of the input");
  return 0;
}
