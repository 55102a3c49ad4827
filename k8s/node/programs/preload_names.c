/* A pod's host name, and the names of services. */
#include "preload.h"

#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/utsname.h>
#include <unistd.h>

enum lookup_result {
  ask_host, /* Whatever the host says. */
  resolved,
  try_again /* There may be somebody later. */
};

/* Names that only a cluster can know: asking the network is no use. */
static int is_cluster_name(const char *name) {
  size_t length = strlen(name);
  return (length > 4 && strcmp(name + length - 4, ".svc") == 0)
         || strstr(name, ".svc.") != NULL;
}

static enum lookup_result find_in_hosts(const char *name, char *address,
                                        size_t size) {
  const char *path = get_variable("TROUPE_HOSTS");
  enum lookup_result result = ask_host;
  char line[1024];
  FILE *file;
  if (!path || !(file = fopen(path, "re")))
    return ask_host;
  while (result == ask_host && fgets(line, sizeof line, file)) {
    char *blank = strchr(line, ' ');
    if (!blank)
      continue;
    *blank = '\0';
    blank[1 + strcspn(blank + 1, "\n")] = '\0';
    if (strcasecmp(blank + 1, name) != 0)
      continue;
    result = strcmp(line, "-") == 0 ? try_again : resolved;
    snprintf(address, size, "%.63s", line);
  }
  fclose(file);
  return result;
}

/* A name that is complete in one of the pod's own search domains. */
static enum lookup_result find_in_searches(const char *name, char *address,
                                           size_t size) {
  const char *searches = get_variable("TROUPE_SEARCHES");
  enum lookup_result result = ask_host;
  char full[512];
  while (result == ask_host && searches && *searches) {
    size_t length = strcspn(searches, " ");
    int n = snprintf(full, sizeof full, "%s.%.*s", name, (int)length, searches);
    if (n > 0 && (size_t)n < sizeof full)
      result = find_in_hosts(full, address, size);
    searches += length;
    searches += *searches == ' ';
  }
  return result;
}

static enum lookup_result resolve(const char *name, char *address,
                                  size_t size) {
  const char *self = get_variable("TROUPE_HOSTNAME");
  const char *full = get_variable("TROUPE_FULL_NAME");
  const char *ip = get_variable("TROUPE_POD_IP");
  enum lookup_result result;
  char bare[256];
  size_t length;
  if (!name || !ip)
    return ask_host;
  snprintf(bare, sizeof bare, "%s", name);
  length = strlen(bare);
  if (length > 1 && bare[length - 1] == '.') /* Fully qualified. */
    bare[length - 1] = '\0';
  if ((self && strcasecmp(bare, self) == 0)
      || (full && strcasecmp(bare, full) == 0)) {
    snprintf(address, size, "%s", ip);
    return resolved;
  }
  result = find_in_hosts(bare, address, size);
  if (result == ask_host)
    result = find_in_searches(bare, address, size);
  if (result == ask_host && is_cluster_name(bare))
    return try_again;
  return result;
}

/* The name that was asked for, not the address that stood for it. */
static void set_canonical_name(struct addrinfo *list, const char *name) {
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
  enum lookup_result known;
  int result;
  if (!get_variable("TROUPE_POD_IP"))
    return real(node, service, hints, out);
  memset(&narrowed, 0, sizeof narrowed);
  if (hints)
    narrowed = *hints;
  known = resolve(node, address, sizeof address);
  if (known == try_again)
    return EAI_AGAIN;
  if (known == resolved) {
    if (narrowed.ai_family == AF_INET6 && !(narrowed.ai_flags & AI_V4MAPPED))
      return EAI_NONAME;
    narrowed.ai_flags |= AI_NUMERICHOST;
    result = real(address, service, &narrowed, out);
    if (result == 0)
      set_canonical_name(*out, node);
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
  enum lookup_result known = resolve(name, address, sizeof address);
  if (known == try_again) {
    h_errno = TRY_AGAIN;
    return NULL;
  }
  return real(known == resolved ? address : name);
}

EXPORT int gethostbyname_r(const char *name, struct hostent *entry, char *space,
                           size_t size, struct hostent **out, int *error) {
  REAL(int, "gethostbyname_r", const char *, struct hostent *, char *, size_t,
       struct hostent **, int *)
  char address[64];
  enum lookup_result known = resolve(name, address, sizeof address);
  if (known == try_again) {
    *out = NULL;
    *error = TRY_AGAIN;
    return 0;
  }
  return real(known == resolved ? address : name, entry, space, size, out,
              error);
}

/* Names of ours have an address of IPv4 only. */
static enum lookup_result resolve_as(int family, const char *name,
                                     char *address, size_t size) {
  enum lookup_result known = resolve(name, address, size);
  return known == resolved && family != AF_INET ? try_again : known;
}

EXPORT struct hostent *gethostbyname2(const char *name, int family) {
  REAL(struct hostent *, "gethostbyname2", const char *, int)
  char address[64];
  enum lookup_result known = resolve_as(family, name, address, sizeof address);
  if (known == try_again) {
    h_errno = TRY_AGAIN;
    return NULL;
  }
  return real(known == resolved ? address : name, family);
}

EXPORT int gethostbyname2_r(const char *name, int family, struct hostent *entry,
                            char *space, size_t size, struct hostent **out,
                            int *error) {
  REAL(int, "gethostbyname2_r", const char *, int, struct hostent *, char *,
       size_t, struct hostent **, int *)
  char address[64];
  enum lookup_result known = resolve_as(family, name, address, sizeof address);
  if (known == try_again) {
    *out = NULL;
    *error = TRY_AGAIN;
    return 0;
  }
  return real(known == resolved ? address : name, family, entry, space, size,
              out, error);
}

/* No name server knows pods' addresses; asking one may take its time. */
static int is_pods_address(const void *address, socklen_t length, int family) {
  const unsigned char *b = address;
  return family == AF_INET && length == 4 && b[0] == 127
         && (b[1] != 0 || b[2] != 0) && get_variable("TROUPE_POD_IP");
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
  const char *name = get_variable("TROUPE_HOSTNAME");
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
  const char *name = get_variable("TROUPE_HOSTNAME");
  int result = real(out);
  if (result == 0 && name)
    snprintf(out->nodename, sizeof out->nodename, "%s", name);
  return result;
}
