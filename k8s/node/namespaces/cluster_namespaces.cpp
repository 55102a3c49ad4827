#include "k8s/node/namespaces/cluster_namespaces.hpp"

#include "k8s/general/child_process.hpp"
#include "k8s/node/namespaces/namespace_protocol.h"

#include <arpa/inet.h>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>

namespace troupe::k8s::node {

struct cluster_namespaces::answer {
  std::array<unique_descriptor, HOLDER_MAX_DESCRIPTORS> descriptors;
};

namespace {

/// The text of a request, cut if it is too long.
template <std::size_t Size>
void copy_truncated(char (&to)[Size], const std::string& from) {
  std::snprintf(to, Size, "%s", from.c_str());
}

holder_request make_holder_request(int what) {
  holder_request q{};
  q.what = what;
  return q;
}

} // namespace

result<container_namespaces> open_container_namespaces(pid_t reaper) {
  auto open_one = [reaper](const char* name) {
    auto path = "/proc/" + std::to_string(reaper) + "/ns/" + name;
    return unique_descriptor{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  };
  container_namespaces out{open_one("mnt"), open_one("pid_for_children")};
  if (out.mounts.get() < 0 || out.processes.get() < 0)
    return failure{ec::invalid,
                   std::string{"cannot open the container's namespaces: "}
                       + std::strerror(errno)};
  return out;
}

result<std::shared_ptr<cluster_namespaces>>
cluster_namespaces::start(const std::string& holder, const pod_subnet& subnet) {
  std::shared_ptr<cluster_namespaces> made{new cluster_namespaces{subnet}};
  if (auto opened = made->start_holder(holder); !opened)
    return opened.error();
  return made;
}

result<nothing> cluster_namespaces::start_holder(const std::string& holder) {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
    return failure{ec::invalid, std::strerror(errno)};
  socket_ = unique_descriptor{ends[0]};
  unique_descriptor theirs{ends[1]};
  child_command command{holder,
                        {"troupe-namespaces", subnet_.bridge_address(),
                         subnet_.gateway_address()},
                        {},
                        {{theirs.get(), HOLDER_FD}}};
  if (int error = spawn_child(std::move(command), pid_))
    return failure{ec::invalid, std::string{"cannot start a process: "}
                                    + std::strerror(error)};
  theirs.reset();
  auto first = receive_answer(3);
  if (!first)
    return first.error();
  user_ = std::move(first->descriptors[0]);
  mounts_ = std::move(first->descriptors[1]);
  return nothing{};
}

cluster_namespaces::~cluster_namespaces() {
  socket_.reset();
  if (pid_ > 0)
    wait_for_child(pid_);
}

result<cluster_namespaces::answer>
cluster_namespaces::receive_answer(std::size_t expected_descriptors) {
  holder_answer said{};
  iovec text{&said, sizeof said};
  alignas(
      cmsghdr) char control[CMSG_SPACE(sizeof(int) * HOLDER_MAX_DESCRIPTORS)];
  msghdr m{};
  m.msg_iov = &text;
  m.msg_iovlen = 1;
  m.msg_control = control;
  m.msg_controllen = sizeof control;
  ssize_t n = 0;
  do
    n = ::recvmsg(socket_.get(), &m, MSG_CMSG_CLOEXEC);
  while (n < 0 && errno == EINTR);
  answer out;
  std::size_t received = 0;
  if (n > 0)
    for (auto* c = CMSG_FIRSTHDR(&m); c; c = CMSG_NXTHDR(&m, c))
      for (std::size_t i = 0; CMSG_LEN((i + 1) * sizeof(int)) <= c->cmsg_len;
           ++i) {
        int fd = -1;
        std::memcpy(&fd, CMSG_DATA(c) + i * sizeof fd, sizeof fd);
        out.descriptors.at(i) = unique_descriptor{fd};
        ++received;
      }
  if (n != static_cast<ssize_t>(sizeof said))
    return failure{ec::invalid, "the holder of the namespaces has ended"};
  // The kernel's own text is "No space left on device".
  std::string why = said.error == ENOSPC
                        ? "a limit is reached, user.max_*_namespaces"
                        : std::strerror(said.error);
  if (said.error != 0)
    return failure{ec::invalid, said.step + (": " + why)};
  // The kernel leaves out what this process has no number for.
  if ((m.msg_flags & MSG_CTRUNC) != 0 || received < expected_descriptors)
    return failure{ec::invalid,
                   "no file descriptor is left for the pods' network; raise "
                   "the limit (ulimit -n)"};
  return out;
}

template <class Request>
result<cluster_namespaces::answer>
cluster_namespaces::send_request_and_receive_answer(const Request& request,
                                                    std::size_t descriptors) {
  std::lock_guard guard{mutex_};
  if (::send(socket_.get(), &request, sizeof request, MSG_NOSIGNAL)
      != static_cast<ssize_t>(sizeof request))
    return failure{ec::invalid, "the holder of the namespaces has ended"};
  return receive_answer(descriptors);
}

result<std::shared_ptr<pod_namespaces>>
cluster_namespaces::make_pod_namespaces(const std::string& address,
                                        const std::string& hostname,
                                        const std::string& shm) {
  auto q = make_holder_request(HOLDER_MAKE_POD);
  if (::inet_pton(AF_INET, address.c_str(), &q.address) != 1)
    return failure{ec::invalid, "\"" + address + "\" is no IPv4 address"};
  copy_truncated(q.hostname, hostname);
  copy_truncated(q.text, shm);
  auto made = send_request_and_receive_answer(q, 3);
  if (!made)
    return made.error();
  auto& fds = made->descriptors;
  return std::make_shared<pod_namespaces>(
      pod_namespaces{std::move(fds[0]), std::move(fds[1]), std::move(fds[2])});
}

void cluster_namespaces::unmount_pod_shm(const std::string& shm) {
  auto q = make_holder_request(HOLDER_REMOVE_POD);
  copy_truncated(q.text, shm);
  if (!send_request_and_receive_answer(q))
    return; // The mount ends with the cluster.
}

std::optional<failure>
cluster_namespaces::mount_memory(const std::string& directory,
                                 std::int64_t size) {
  auto q = make_holder_request(HOLDER_MOUNT_MEMORY);
  q.size = size;
  copy_truncated(q.text, directory);
  auto done = send_request_and_receive_answer(q);
  return done ? std::nullopt : std::optional{done.error()};
}

result<unique_descriptor> cluster_namespaces::make_cluster_socket(int type) {
  auto q = make_holder_request(HOLDER_MAKE_SOCKET);
  q.socket_type = type;
  auto made = send_request_and_receive_answer(q, 1);
  if (!made)
    return made.error();
  return std::move(made->descriptors[0]);
}

result<unique_descriptor>
cluster_namespaces::listen_on_bridge(int type, std::uint16_t port) {
  auto made = make_cluster_socket(type);
  if (!made)
    return made;
  sockaddr_in a{};
  a.sin_family = AF_INET;
  a.sin_port = htons(port);
  ::inet_pton(AF_INET, subnet_.bridge_address().c_str(), &a.sin_addr);
  if (::bind(made->get(), reinterpret_cast<sockaddr*>(&a), sizeof a) != 0
      || (type == SOCK_STREAM && ::listen(made->get(), SOMAXCONN) != 0))
    return failure{ec::invalid, std::string{"cannot listen on "}
                                    + subnet_.bridge_address() + ":"
                                    + std::to_string(port) + ": "
                                    + std::strerror(errno)};
  return made;
}

std::optional<failure>
cluster_namespaces::add_to_bridge(const std::string& interface) {
  auto q = make_holder_request(HOLDER_ADD_TO_BRIDGE);
  copy_truncated(q.text, interface);
  auto done = send_request_and_receive_answer(q);
  return done ? std::nullopt : std::optional{done.error()};
}

} // namespace troupe::k8s::node
