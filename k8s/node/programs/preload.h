/* What the parts of the preload library share. */
#ifndef TROUPE_PRELOAD_H
#define TROUPE_PRELOAD_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dlfcn.h>
#include <netinet/in.h>
#include <stddef.h>

#define EXPORT __attribute__((visibility("default")))

/* The function that ours replaces. It is looked up once: dlsym takes a lock,
 * which after a fork a thread may hold that no longer exists. */
#define REAL(result, name, ...)                                                \
  static result (*known_real)(__VA_ARGS__);                                    \
  result (*real)(__VA_ARGS__) = __atomic_load_n(&known_real, __ATOMIC_RELAXED);\
  if (!real) {                                                                 \
    *(void **)&real = dlsym(RTLD_NEXT, name);                                  \
    __atomic_store_n(&known_real, real, __ATOMIC_RELAXED);                     \
  }

/* A variable of the environment, or NULL. */
const char *get_variable(const char *name);

/* Gets the pod's address; returns 0 outside of a pod. */
int pod_address(struct in_addr *out);

#endif
