/* Loaded into every process of a pod that runs as a host process, so that it
 * feels like a pod: its own loopback address, its own host name, the names of
 * services and its volumes, all without root. Addresses are here, the others in
 * preload_interfaces.c, preload_names.c, preload_paths.c and preload_exec.c.
 *
 *   TROUPE_POD_IP    the pod's loopback address, 127.x.y.z
 *   TROUPE_HOSTNAME  the pod's host name
 *   TROUPE_FULL_NAME the same with its domain, if it has one
 *   TROUPE_SEARCHES  domains in which names are looked for, each with a blank
 *                    behind it
 *   TROUPE_HOSTS     lines "ADDRESS NAME", read at each look-up; the address
 *                    is "-" while there is nobody behind the name
 *   TROUPE_PATHS     where its volumes are on this host (path_map.h)
 *
 * Without these variables everything is as without this library. When it is
 * loaded it copies them (preload_exec.c); no other memory is kept, all
 * functions are thread-safe. Programs that are linked statically or call the
 * kernel themselves (Go) do not see it.
 */
#include "preload.h"

#include "../base/path_map.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

extern char **environ;

/* Not getenv: shells bring their own, which may not be called at any time. */
const char *get_variable(const char *name) {
  size_t length = strlen(name);
  for (char **e = environ; e && *e; ++e)
    if (strncmp(*e, name, length) == 0 && (*e)[length] == '=')
      return *e + length + 1;
  return strncmp(name, "TROUPE_", 7) == 0 ? kept_variable(name) : NULL;
}

int pod_address(struct in_addr *out) {
  const char *text = get_variable("TROUPE_POD_IP");
  return text && inet_pton(AF_INET, text, out) == 1;
}

/* -- addresses ------------------------------------------------------------ */

/* What every address of this host, or none in particular, means in a pod. */
static int is_any_or_loopback4(const struct in_addr *a) {
  return a->s_addr == htonl(INADDR_ANY) || a->s_addr == htonl(INADDR_LOOPBACK);
}

static int is_any_or_loopback6(const struct in6_addr *a) {
  if (IN6_IS_ADDR_V4MAPPED(a)) {
    struct in_addr inner;
    memcpy(&inner, &a->s6_addr[12], sizeof inner);
    return is_any_or_loopback4(&inner);
  }
  return IN6_IS_ADDR_UNSPECIFIED(a) || IN6_IS_ADDR_LOOPBACK(a);
}

/* Returns the address to use instead, in `space`, or `given` itself. */
static const struct sockaddr *to_pod_address(const struct sockaddr *given,
                                             socklen_t length,
                                             struct sockaddr_storage *space) {
  struct in_addr pod;
  if (!given || length > sizeof *space || !pod_address(&pod))
    return given;
  if (given->sa_family == AF_INET && length >= sizeof(struct sockaddr_in)) {
    struct sockaddr_in *a = (struct sockaddr_in *)space;
    memcpy(space, given, length);
    if (!is_any_or_loopback4(&a->sin_addr))
      return given;
    a->sin_addr = pod;
    return (const struct sockaddr *)space;
  }
  if (given->sa_family == AF_INET6 && length >= sizeof(struct sockaddr_in6)) {
    struct sockaddr_in6 *a = (struct sockaddr_in6 *)space;
    memcpy(space, given, length);
    if (!is_any_or_loopback6(&a->sin6_addr))
      return given;
    memset(&a->sin6_addr, 0, sizeof a->sin6_addr);
    a->sin6_addr.s6_addr[10] = 0xff;
    a->sin6_addr.s6_addr[11] = 0xff;
    memcpy(&a->sin6_addr.s6_addr[12], &pod, sizeof pod);
    return (const struct sockaddr *)space;
  }
  return given;
}

/* A socket that has a path, in a volume: where that is on this host, if the
 * path is not too long there. NULL: it is another one. */
static const struct sockaddr *
to_host_socket_path(const struct sockaddr *given, socklen_t *length,
                    struct sockaddr_storage *space) {
  const size_t before = offsetof(struct sockaddr_un, sun_path);
  struct sockaddr_un *now = (struct sockaddr_un *)space;
  const char *maps = get_variable("TROUPE_PATHS");
  char path[sizeof now->sun_path + 1] = "";
  if (!maps || !given || *length <= before || *length > sizeof *now
      || given->sa_family != AF_UNIX)
    return NULL;
  memcpy(path, (const char *)given + before, *length - before);
  memset(now, 0, sizeof *now);
  now->sun_family = AF_UNIX;
  if (map_path(maps, path, now->sun_path, sizeof now->sun_path) == path)
    return NULL;
  *length = sizeof *now;
  return (const struct sockaddr *)now;
}

/* A pod here has no IPv6 address, but a mapped one. 0: this socket is to serve
 * IPv6 only, so it has none. */
static int can_be_mapped(int fd, const struct sockaddr *now) {
  int only = 0;
  socklen_t size = sizeof only;
  if (now->sa_family != AF_INET6)
    return 1;
  if (getsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &only, &size) == 0 && only)
    return 0;
  return 1;
}

static int real_bind(int fd, const struct sockaddr *address, socklen_t length) {
  REAL(int, "bind", int, const struct sockaddr *, socklen_t)
  return real(fd, address, length);
}

/* A socket that serves IPv6 only, on all addresses: a pod has one that nobody
 * else can reach. As all pods share it, a port that another pod has is replaced
 * by a free one. */
static int bind_to_loopback6(int fd, const struct sockaddr *address) {
  struct sockaddr_in6 a = *(const struct sockaddr_in6 *)address;
  int before = errno;
  a.sin6_addr = in6addr_loopback;
  if (real_bind(fd, (struct sockaddr *)&a, sizeof a) == 0)
    return 0;
  if (errno != EADDRINUSE)
    return -1;
  errno = before;
  a.sin6_port = 0;
  return real_bind(fd, (struct sockaddr *)&a, sizeof a);
}

EXPORT int bind(int fd, const struct sockaddr *address, socklen_t length) {
  struct sockaddr_storage space;
  struct sockaddr_in any;
  const struct sockaddr *now = to_host_socket_path(address, &length, &space);
  if (now)
    return real_bind(fd, now, length);
  if (address && address->sa_family == AF_UNSPEC && length >= sizeof any) {
    /* The kernel takes this for IPv4, too. */
    memcpy(&any, address, sizeof any);
    any.sin_family = AF_INET;
    if (any.sin_addr.s_addr == htonl(INADDR_ANY)) {
      address = (struct sockaddr *)&any;
      length = sizeof any;
    }
  }
  now = to_pod_address(address, length, &space);
  if (now != address && !can_be_mapped(fd, now))
    return bind_to_loopback6(fd, address);
  return real_bind(fd, now, length);
}

static in_port_t port_of(const struct sockaddr *a) {
  return a->sa_family == AF_INET6 ? ((const struct sockaddr_in6 *)a)->sin6_port
                                  : ((const struct sockaddr_in *)a)->sin_port;
}

/* Whether somebody in this pod has this port: then it cannot be had again. */
static int is_port_taken_in_pod(in_port_t port) {
  struct sockaddr_in a;
  int yes = 1, taken = 0;
  int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0)
    return 1;
  memset(&a, 0, sizeof a);
  a.sin_family = AF_INET;
  a.sin_port = port;
  if (pod_address(&a.sin_addr)) {
    /* So that we are in nobody's way, not even for a moment. */
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    taken = real_bind(fd, (struct sockaddr *)&a, sizeof a) != 0
            && errno == EADDRINUSE;
  }
  close(fd);
  return taken;
}

static int is_stream(int fd) {
  int type = 0;
  socklen_t size = sizeof type;
  return getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &size) == 0
         && type == SOCK_STREAM;
}

static int is_loopback(const struct sockaddr *a, socklen_t length) {
  uint32_t ip = 0;
  if (a->sa_family == AF_INET && length >= sizeof(struct sockaddr_in))
    ip = ((const struct sockaddr_in *)a)->sin_addr.s_addr;
  else if (a->sa_family == AF_INET6 && length >= sizeof(struct sockaddr_in6)
           && IN6_IS_ADDR_V4MAPPED(&((const struct sockaddr_in6 *)a)->sin6_addr))
    memcpy(&ip, &((const struct sockaddr_in6 *)a)->sin6_addr.s6_addr[12],
           sizeof ip);
  return ntohl(ip) >> 24 == IN_LOOPBACKNET;
}

/* Peers see the pod's address, not the host's: a socket that goes to another
 * pod, or to this host, and has no address yet, gets it. */
static void bind_to_pod_address_if_unbound(int fd, const struct sockaddr *to,
                                           socklen_t length) {
  struct sockaddr_storage now, space;
  const struct sockaddr *self;
  socklen_t size = sizeof now;
  int yes = 1, before = errno;
  if (to && is_loopback(to, length)
      && getsockname(fd, (struct sockaddr *)&now, &size) == 0
      && port_of((struct sockaddr *)&now) == 0) {
    /* The address alone; the port is chosen by connect. */
    setsockopt(fd, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &yes, sizeof yes);
    self = to_pod_address((struct sockaddr *)&now, size, &space);
    if (self == (struct sockaddr *)&space && can_be_mapped(fd, self))
      real_bind(fd, self, size);
  }
  errno = before;
}

/* "localhost" is the pod; where nobody in the pod listens, it is the host. */
EXPORT int connect(int fd, const struct sockaddr *address, socklen_t length) {
  REAL(int, "connect", int, const struct sockaddr *, socklen_t)
  struct sockaddr_storage space;
  const struct sockaddr *now = to_host_socket_path(address, &length, &space);
  int before = errno, result;
  if (now)
    return real(fd, now, length);
  now = to_pod_address(address, length, &space);
  bind_to_pod_address_if_unbound(fd, now, length);
  if (now == address || !can_be_mapped(fd, now))
    return real(fd, address, length);
  if (is_stream(fd) && (fcntl(fd, F_GETFL) & O_NONBLOCK)) {
    /* The refusal would come later, to somebody else. */
    int here = is_port_taken_in_pod(port_of(now));
    errno = before;
    return real(fd, here ? now : address, length);
  }
  result = real(fd, now, length);
  if (result == 0 || errno != ECONNREFUSED || !is_stream(fd))
    return result;
  errno = before;
  return real(fd, address, length);
}

EXPORT ssize_t sendto(int fd, const void *bytes, size_t size, int flags,
                      const struct sockaddr *address, socklen_t length) {
  REAL(ssize_t, "sendto", int, const void *, size_t, int,
       const struct sockaddr *, socklen_t)
  struct sockaddr_storage space;
  const struct sockaddr *now = to_host_socket_path(address, &length, &space);
  if (!now)
    now = to_pod_address(address, length, &space);
  return real(fd, bytes, size, flags, now, length);
}

/* A program that asks which address it has outside is told the pod's, which is
 * where the others reach it. */
EXPORT int getsockname(int fd, struct sockaddr *address, socklen_t *length) {
  REAL(int, "getsockname", int, struct sockaddr *, socklen_t *)
  struct sockaddr_in *a = (struct sockaddr_in *)address;
  struct in_addr pod;
  int result = real(fd, address, length);
  if (result == 0 && address && *length >= sizeof *a
      && address->sa_family == AF_INET && pod_address(&pod)
      && a->sin_addr.s_addr != htonl(INADDR_ANY)
      && ntohl(a->sin_addr.s_addr) >> 24 != IN_LOOPBACKNET)
    a->sin_addr = pod;
  return result;
}
