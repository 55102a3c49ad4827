/* Loaded into every process of a pod that runs as a host process, so that it
 * feels like a pod: its own loopback address, its own host name, and the names
 * of services, all without root.
 *
 *   TROUPE_POD_IP    the pod's loopback address, 127.x.y.z
 *   TROUPE_POD_NAME  the pod's host name
 *   TROUPE_HOSTS     lines "ADDRESS NAME", read at each look-up; the address
 *                    is "-" while there is nobody behind the name
 *
 * Without these variables everything is as without this library. Nothing runs
 * when it is loaded, no memory is kept, all functions are thread-safe. Programs
 * that are linked statically or call the kernel themselves (Go) do not see it.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/utsname.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

/* The function that ours stands in front of. Looked up once: dlsym takes a
 * lock, which after a fork may be held by nobody that is there. */
#define REAL(result, name, ...)                                                \
  static result (*known_real)(__VA_ARGS__);                                    \
  result (*real)(__VA_ARGS__) = __atomic_load_n(&known_real, __ATOMIC_RELAXED);\
  if (!real) {                                                                 \
    *(void **)&real = dlsym(RTLD_NEXT, name);                                  \
    __atomic_store_n(&known_real, real, __ATOMIC_RELAXED);                     \
  }

extern char **environ;

/* Not getenv: shells bring their own, which may not be called at any time. */
static const char *setting(const char *name) {
  size_t length = strlen(name);
  for (char **e = environ; e && *e; ++e)
    if (strncmp(*e, name, length) == 0 && (*e)[length] == '=')
      return *e + length + 1;
  return NULL;
}

static int pod_address(struct in_addr *out) {
  const char *text = setting("TROUPE_POD_IP");
  return text && inet_pton(AF_INET, text, out) == 1;
}

/* -- addresses ------------------------------------------------------------ */

/* What every address of this host, or none in particular, means in a pod. */
static int is_here4(const struct in_addr *a) {
  return a->s_addr == htonl(INADDR_ANY) || a->s_addr == htonl(INADDR_LOOPBACK);
}

static int is_here6(const struct in6_addr *a) {
  if (IN6_IS_ADDR_V4MAPPED(a)) {
    struct in_addr inner;
    memcpy(&inner, &a->s6_addr[12], sizeof inner);
    return is_here4(&inner);
  }
  return IN6_IS_ADDR_UNSPECIFIED(a) || IN6_IS_ADDR_LOOPBACK(a);
}

/* Returns the address to use instead, in `space`, or `given` itself. */
static const struct sockaddr *moved(const struct sockaddr *given,
                                    socklen_t length,
                                    struct sockaddr_storage *space) {
  struct in_addr pod;
  if (!given || length > sizeof *space || !pod_address(&pod))
    return given;
  if (given->sa_family == AF_INET && length >= sizeof(struct sockaddr_in)) {
    struct sockaddr_in *a = (struct sockaddr_in *)space;
    memcpy(space, given, length);
    if (!is_here4(&a->sin_addr))
      return given;
    a->sin_addr = pod;
    return (const struct sockaddr *)space;
  }
  if (given->sa_family == AF_INET6 && length >= sizeof(struct sockaddr_in6)) {
    struct sockaddr_in6 *a = (struct sockaddr_in6 *)space;
    memcpy(space, given, length);
    if (!is_here6(&a->sin6_addr))
      return given;
    memset(&a->sin6_addr, 0, sizeof a->sin6_addr);
    a->sin6_addr.s6_addr[10] = 0xff;
    a->sin6_addr.s6_addr[11] = 0xff;
    memcpy(&a->sin6_addr.s6_addr[12], &pod, sizeof pod);
    return (const struct sockaddr *)space;
  }
  return given;
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

EXPORT int bind(int fd, const struct sockaddr *address, socklen_t length) {
  struct sockaddr_storage space;
  const struct sockaddr *now = moved(address, length, &space);
  if (now != address && !can_be_mapped(fd, now)) {
    errno = EADDRNOTAVAIL;
    return -1;
  }
  return real_bind(fd, now, length);
}

static in_port_t port_of(const struct sockaddr *a) {
  return a->sa_family == AF_INET6 ? ((const struct sockaddr_in6 *)a)->sin6_port
                                  : ((const struct sockaddr_in *)a)->sin_port;
}

/* Whether somebody in this pod has this port: then it cannot be had again. */
static int is_taken(in_port_t port) {
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

/* "localhost" is the pod; where nobody in the pod listens, it is the host. */
EXPORT int connect(int fd, const struct sockaddr *address, socklen_t length) {
  REAL(int, "connect", int, const struct sockaddr *, socklen_t)
  struct sockaddr_storage space;
  const struct sockaddr *now = moved(address, length, &space);
  int before = errno, result;
  if (now == address || !can_be_mapped(fd, now))
    return real(fd, address, length);
  if (is_stream(fd) && (fcntl(fd, F_GETFL) & O_NONBLOCK)) {
    /* The refusal would come later, to somebody else. */
    int here = is_taken(port_of(now));
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
  return real(fd, bytes, size, flags, moved(address, length, &space), length);
}

/* -- names ---------------------------------------------------------------- */

enum answer {
  not_ours, /* Whatever the host says. */
  found,
  not_now /* There may be somebody later. */
};

/* Names that only a cluster can know: asking the network is no use. */
static int is_cluster_name(const char *name) {
  size_t length = strlen(name);
  return (length > 4 && strcmp(name + length - 4, ".svc") == 0)
         || strstr(name, ".svc.") != NULL;
}

static enum answer find_in_hosts(const char *name, char *address, size_t size) {
  const char *path = setting("TROUPE_HOSTS");
  enum answer result = not_ours;
  char line[1024];
  FILE *file;
  if (!path || !(file = fopen(path, "re")))
    return not_ours;
  while (result == not_ours && fgets(line, sizeof line, file)) {
    char *blank = strchr(line, ' ');
    if (!blank)
      continue;
    *blank = '\0';
    blank[1 + strcspn(blank + 1, "\n")] = '\0';
    if (strcasecmp(blank + 1, name) != 0)
      continue;
    result = strcmp(line, "-") == 0 ? not_now : found;
    snprintf(address, size, "%.63s", line);
  }
  fclose(file);
  return result;
}

static enum answer resolve(const char *name, char *address, size_t size) {
  const char *self = setting("TROUPE_POD_NAME");
  const char *ip = setting("TROUPE_POD_IP");
  enum answer result;
  char bare[256];
  size_t length;
  if (!name || !ip)
    return not_ours;
  snprintf(bare, sizeof bare, "%s", name);
  length = strlen(bare);
  if (length > 1 && bare[length - 1] == '.') /* Fully qualified. */
    bare[length - 1] = '\0';
  if (self && strcasecmp(bare, self) == 0) {
    snprintf(address, size, "%s", ip);
    return found;
  }
  result = find_in_hosts(bare, address, size);
  if (result == not_ours && is_cluster_name(bare))
    return not_now;
  return result;
}

/* The name that was asked for, not the address that stood for it. */
static void name_canonically(struct addrinfo *list, const char *name) {
  char *copy = list && list->ai_canonname ? strdup(name) : NULL;
  if (!copy)
    return;
  free(list->ai_canonname);
  list->ai_canonname = copy;
}

EXPORT int getaddrinfo(const char *node, const char *service,
                       const struct addrinfo *hints, struct addrinfo **out) {
  REAL(int, "getaddrinfo", const char *, const char *, const struct addrinfo *,
       struct addrinfo **)
  struct addrinfo narrowed;
  char address[64];
  enum answer known;
  int result;
  if (!setting("TROUPE_POD_IP"))
    return real(node, service, hints, out);
  memset(&narrowed, 0, sizeof narrowed);
  if (hints)
    narrowed = *hints;
  known = resolve(node, address, sizeof address);
  if (known == not_now)
    return EAI_AGAIN;
  if (known == found) {
    if (narrowed.ai_family == AF_INET6 && !(narrowed.ai_flags & AI_V4MAPPED))
      return EAI_NONAME;
    narrowed.ai_flags |= AI_NUMERICHOST;
    result = real(address, service, &narrowed, out);
    if (result == 0)
      name_canonically(*out, node);
    return result;
  }
  /* "Any" and "localhost" have one address in a pod, of IPv4. */
  if (narrowed.ai_family == AF_UNSPEC
      && (!node || strcmp(node, "localhost") == 0)) {
    narrowed.ai_family = AF_INET;
    return real(node, service, &narrowed, out);
  }
  return real(node, service, hints, out);
}

EXPORT struct hostent *gethostbyname(const char *name) {
  REAL(struct hostent *, "gethostbyname", const char *)
  char address[64];
  enum answer known = resolve(name, address, sizeof address);
  if (known == not_now) {
    h_errno = TRY_AGAIN;
    return NULL;
  }
  return real(known == found ? address : name);
}

EXPORT int gethostbyname_r(const char *name, struct hostent *entry, char *space,
                           size_t size, struct hostent **out, int *error) {
  REAL(int, "gethostbyname_r", const char *, struct hostent *, char *, size_t,
       struct hostent **, int *)
  char address[64];
  enum answer known = resolve(name, address, sizeof address);
  if (known == not_now) {
    *out = NULL;
    *error = TRY_AGAIN;
    return 0;
  }
  return real(known == found ? address : name, entry, space, size, out, error);
}

/* No name server knows pods' addresses; asking one may take its time. */
static int is_pods_address(const void *address, socklen_t length, int family) {
  const unsigned char *b = address;
  return family == AF_INET && length == 4 && b[0] == 127
         && (b[1] != 0 || b[2] != 0) && setting("TROUPE_POD_IP");
}

EXPORT struct hostent *gethostbyaddr(const void *address, socklen_t length,
                                     int family) {
  REAL(struct hostent *, "gethostbyaddr", const void *, socklen_t, int)
  if (is_pods_address(address, length, family)) {
    h_errno = HOST_NOT_FOUND;
    return NULL;
  }
  return real(address, length, family);
}

EXPORT int gethostbyaddr_r(const void *address, socklen_t length, int family,
                           struct hostent *entry, char *space, size_t size,
                           struct hostent **out, int *error) {
  REAL(int, "gethostbyaddr_r", const void *, socklen_t, int, struct hostent *,
       char *, size_t, struct hostent **, int *)
  if (is_pods_address(address, length, family)) {
    *out = NULL;
    *error = HOST_NOT_FOUND;
    return 0;
  }
  return real(address, length, family, entry, space, size, out, error);
}

EXPORT int gethostname(char *out, size_t size) {
  REAL(int, "gethostname", char *, size_t)
  const char *name = setting("TROUPE_POD_NAME");
  if (!name)
    return real(out, size);
  if (strlen(name) >= size) {
    errno = ENAMETOOLONG;
    return -1;
  }
  strcpy(out, name);
  return 0;
}

EXPORT int uname(struct utsname *out) {
  REAL(int, "uname", struct utsname *)
  const char *name = setting("TROUPE_POD_NAME");
  int result = real(out);
  if (result == 0 && name)
    snprintf(out->nodename, sizeof out->nodename, "%s", name);
  return result;
}
