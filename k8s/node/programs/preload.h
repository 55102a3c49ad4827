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

/* The library is loaded into programs of older C libraries than it was built
 * with: dlsym by the version and from the library that all of them have. */
#if defined __x86_64__
__asm__(".symver dlsym, dlsym@GLIBC_2.2.5");
#elif defined __aarch64__
__asm__(".symver dlsym, dlsym@GLIBC_2.17");
#endif

/* The function that ours replaces. It is looked up once: dlsym takes a lock,
 * which after a fork a thread may hold that no longer exists. */
#define REAL(result, name, ...)                                                \
  static result (*known_real)(__VA_ARGS__);                                    \
  result (*real)(__VA_ARGS__) = __atomic_load_n(&known_real, __ATOMIC_RELAXED);\
  if (!real) {                                                                 \
    *(void **)&real = dlsym(RTLD_NEXT, name);                                  \
    __atomic_store_n(&known_real, real, __ATOMIC_RELAXED);                     \
  }

/* A variable of the environment, or NULL; one of ours also if the program has
 * taken a new environment. */
const char *get_variable(const char *name);

/* The value that one of ours had when the program was started, or NULL. */
const char *kept_variable(const char *name);

/* Gets the pod's address; returns 0 outside of a pod. */
int pod_address(struct in_addr *out);

#endif
