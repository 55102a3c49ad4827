/* A pod's volumes: paths below a mount are led to where the node keeps it.
 * Relative paths need no help: what they are relative to has been mapped. */
#undef _FORTIFY_SOURCE /* Its headers have these functions, too. */
#include "preload.h"

#include "../base/path_map.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/xattr.h>
#include <unistd.h>
#include <utime.h>

static const char *to_host_path(const char *path, char *space) {
  struct in_addr pod;
  /* A pod has no interface with an IPv6 address. */
  if (path && strcmp(path, "/proc/net/if_inet6") == 0 && pod_address(&pod))
    return "/dev/null";
  return map_path(get_variable("TROUPE_PATHS"), path, space, PATH_MAX);
}

#define UNWRAP(...) __VA_ARGS__

/* A function with a parameter `path`. */
#define MAPPED(result, name, parameters, arguments)                            \
  EXPORT result name parameters {                                              \
    char space[PATH_MAX];                                                      \
    REAL(result, #name, UNWRAP parameters)                                     \
    path = to_host_path(path, space);                                          \
    return real arguments;                                                     \
  }

/* One with two, `path` and `other`. */
#define MAPPED_BOTH(name, parameters, arguments)                               \
  EXPORT int name parameters {                                                 \
    char space[PATH_MAX], other_space[PATH_MAX];                               \
    REAL(int, #name, UNWRAP parameters)                                        \
    path = to_host_path(path, space);                                          \
    other = to_host_path(other, other_space);                                  \
    return real arguments;                                                     \
  }

/* -- opening -------------------------------------------------------------- */

/* open and its like, with a mode only if something may be made. */
#define MAPPED_OPEN(name, parameters, arguments)                               \
  EXPORT int name(UNWRAP parameters, ...) {                                    \
    char space[PATH_MAX];                                                      \
    mode_t mode = 0;                                                           \
    REAL(int, #name, UNWRAP parameters, ...)                                   \
    if (flags & (O_CREAT | (O_TMPFILE & ~O_DIRECTORY))) {                      \
      va_list more;                                                            \
      va_start(more, flags);                                                   \
      mode = va_arg(more, mode_t);                                             \
      va_end(more);                                                            \
    }                                                                          \
    path = to_host_path(path, space);                                          \
    return real(UNWRAP arguments, mode);                                       \
  }

MAPPED_OPEN(open, (const char *path, int flags), (path, flags))
MAPPED_OPEN(open64, (const char *path, int flags), (path, flags))
MAPPED_OPEN(openat, (int at, const char *path, int flags), (at, path, flags))
MAPPED_OPEN(openat64, (int at, const char *path, int flags), (at, path, flags))
MAPPED(int, __open_2, (const char *path, int flags), (path, flags))
MAPPED(int, __open64_2, (const char *path, int flags), (path, flags))
MAPPED(int, __openat_2, (int at, const char *path, int flags),
       (at, path, flags))
MAPPED(int, __openat64_2, (int at, const char *path, int flags),
       (at, path, flags))
MAPPED(int, creat, (const char *path, mode_t mode), (path, mode))
MAPPED(int, creat64, (const char *path, mode_t mode), (path, mode))
MAPPED(FILE *, fopen, (const char *path, const char *how), (path, how))
MAPPED(FILE *, fopen64, (const char *path, const char *how), (path, how))
MAPPED(FILE *, freopen, (const char *path, const char *how, FILE *file),
       (path, how, file))
MAPPED(FILE *, freopen64, (const char *path, const char *how, FILE *file),
       (path, how, file))
MAPPED(DIR *, opendir, (const char *path), (path))

#define SCANDIR(name, entry)                                                   \
  MAPPED(int, name,                                                            \
         (const char *path, struct entry ***out,                               \
          int (*pick)(const struct entry *),                                   \
          int (*order)(const struct entry **, const struct entry **)),         \
         (path, out, pick, order))

SCANDIR(scandir, dirent)
SCANDIR(scandir64, dirent64)

/* -- making up names ------------------------------------------------------ */

/* The name that was made up belongs into the caller's template, too. */
#define MAPPED_TEMPLATE(result, name, parameters, arguments)                   \
  EXPORT result name parameters {                                              \
    char space[PATH_MAX], *given = path;                                       \
    result made;                                                               \
    REAL(result, #name, UNWRAP parameters)                                     \
    path = (char *)to_host_path(path, space);                                  \
    made = real arguments;                                                     \
    if (path == space && strrchr(given, '/') && strrchr(path, '/'))            \
      strcpy(strrchr(given, '/'), strrchr(path, '/'));                         \
    return made;                                                               \
  }

MAPPED_TEMPLATE(int, mkstemp, (char *path), (path))
MAPPED_TEMPLATE(int, mkstemp64, (char *path), (path))
MAPPED_TEMPLATE(int, mkostemp, (char *path, int flags), (path, flags))
MAPPED_TEMPLATE(int, mkostemp64, (char *path, int flags), (path, flags))
MAPPED_TEMPLATE(int, mkstemps, (char *path, int end), (path, end))
MAPPED_TEMPLATE(int, mkstemps64, (char *path, int end), (path, end))
MAPPED_TEMPLATE(int, mkostemps, (char *path, int end, int flags),
                (path, end, flags))
MAPPED_TEMPLATE(int, mkostemps64, (char *path, int end, int flags),
                (path, end, flags))

EXPORT char *mkdtemp(char *path) {
  char space[PATH_MAX];
  REAL(char *, "mkdtemp", char *)
  char *used = (char *)to_host_path(path, space);
  if (!real(used))
    return NULL;
  if (used == space)
    strcpy(strrchr(path, '/'), strrchr(used, '/'));
  return path;
}

/* -- looking -------------------------------------------------------------- */

MAPPED(int, stat, (const char *path, struct stat *out), (path, out))
MAPPED(int, lstat, (const char *path, struct stat *out), (path, out))
MAPPED(int, stat64, (const char *path, struct stat64 *out), (path, out))
MAPPED(int, lstat64, (const char *path, struct stat64 *out), (path, out))
MAPPED(int, fstatat, (int at, const char *path, struct stat *out, int flags),
       (at, path, out, flags))
MAPPED(int, fstatat64,
       (int at, const char *path, struct stat64 *out, int flags),
       (at, path, out, flags))
MAPPED(int, statx,
       (int at, const char *path, int flags, unsigned mask, struct statx *out),
       (at, path, flags, mask, out))

/* What programs call that were built long ago; dlsym does not find these. */
static int old_stat(int at, const char *path, void *out, int flags) {
  char space[PATH_MAX];
  path = to_host_path(path, space);
  return (int)syscall(SYS_newfstatat, at, path, out, flags);
}

#define OLD_STAT(name, type, flags)                                            \
  EXPORT int name(int version, const char *path, struct type *out);            \
  EXPORT int name(int version, const char *path, struct type *out) {           \
    (void)version;                                                             \
    return old_stat(AT_FDCWD, path, out, flags);                               \
  }
#define OLD_STAT_AT(name, type)                                                \
  EXPORT int name(int version, int at, const char *path, struct type *out,     \
                  int flags);                                                  \
  EXPORT int name(int version, int at, const char *path, struct type *out,     \
                  int flags) {                                                 \
    (void)version;                                                             \
    return old_stat(at, path, out, flags);                                     \
  }

OLD_STAT(__xstat, stat, 0)
OLD_STAT(__xstat64, stat64, 0)
OLD_STAT(__lxstat, stat, AT_SYMLINK_NOFOLLOW)
OLD_STAT(__lxstat64, stat64, AT_SYMLINK_NOFOLLOW)
OLD_STAT_AT(__fxstatat, stat)
OLD_STAT_AT(__fxstatat64, stat64)

MAPPED(int, access, (const char *path, int how), (path, how))
MAPPED(int, euidaccess, (const char *path, int how), (path, how))
MAPPED(int, eaccess, (const char *path, int how), (path, how))
MAPPED(int, faccessat, (int at, const char *path, int how, int flags),
       (at, path, how, flags))
MAPPED(ssize_t, readlink, (const char *path, char *out, size_t size),
       (path, out, size))
MAPPED(ssize_t, readlinkat, (int at, const char *path, char *out, size_t size),
       (at, path, out, size))
MAPPED(char *, realpath, (const char *path, char *out), (path, out))
MAPPED(char *, canonicalize_file_name, (const char *path), (path))
MAPPED(int, statfs, (const char *path, struct statfs *out), (path, out))
MAPPED(int, statfs64, (const char *path, struct statfs64 *out), (path, out))
MAPPED(int, statvfs, (const char *path, struct statvfs *out), (path, out))
MAPPED(int, statvfs64, (const char *path, struct statvfs64 *out), (path, out))
MAPPED(ssize_t, getxattr,
       (const char *path, const char *name, void *out, size_t size),
       (path, name, out, size))
MAPPED(ssize_t, lgetxattr,
       (const char *path, const char *name, void *out, size_t size),
       (path, name, out, size))
MAPPED(ssize_t, listxattr, (const char *path, char *out, size_t size),
       (path, out, size))
MAPPED(ssize_t, llistxattr, (const char *path, char *out, size_t size),
       (path, out, size))
MAPPED(int, setxattr,
       (const char *path, const char *name, const void *text, size_t size,
        int flags),
       (path, name, text, size, flags))
MAPPED(int, lsetxattr,
       (const char *path, const char *name, const void *text, size_t size,
        int flags),
       (path, name, text, size, flags))
MAPPED(int, inotify_add_watch, (int fd, const char *path, uint32_t mask),
       (fd, path, mask))

/* -- changing ------------------------------------------------------------- */

MAPPED(int, chdir, (const char *path), (path))
MAPPED(int, chroot, (const char *path), (path))
MAPPED(int, mkdir, (const char *path, mode_t mode), (path, mode))
MAPPED(int, mkdirat, (int at, const char *path, mode_t mode), (at, path, mode))
MAPPED(int, mkfifo, (const char *path, mode_t mode), (path, mode))
MAPPED(int, rmdir, (const char *path), (path))
MAPPED(int, unlink, (const char *path), (path))
MAPPED(int, unlinkat, (int at, const char *path, int flags), (at, path, flags))
MAPPED(int, remove, (const char *path), (path))
MAPPED(int, chmod, (const char *path, mode_t mode), (path, mode))
MAPPED(int, fchmodat, (int at, const char *path, mode_t mode, int flags),
       (at, path, mode, flags))
MAPPED(int, chown, (const char *path, uid_t user, gid_t group),
       (path, user, group))
MAPPED(int, lchown, (const char *path, uid_t user, gid_t group),
       (path, user, group))
MAPPED(int, fchownat,
       (int at, const char *path, uid_t user, gid_t group, int flags),
       (at, path, user, group, flags))
MAPPED(int, truncate, (const char *path, off_t size), (path, size))
MAPPED(int, truncate64, (const char *path, off64_t size), (path, size))
MAPPED(int, utime, (const char *path, const struct utimbuf *when),
       (path, when))
MAPPED(int, utimes, (const char *path, const struct timeval when[2]),
       (path, when))
MAPPED(int, utimensat,
       (int at, const char *path, const struct timespec when[2], int flags),
       (at, path, when, flags))
MAPPED_BOTH(rename, (const char *path, const char *other), (path, other))
MAPPED_BOTH(renameat, (int at, const char *path, int to, const char *other),
            (at, path, to, other))
MAPPED_BOTH(renameat2,
            (int at, const char *path, int to, const char *other,
             unsigned flags),
            (at, path, to, other, flags))
MAPPED_BOTH(link, (const char *path, const char *other), (path, other))
MAPPED_BOTH(linkat,
            (int at, const char *path, int to, const char *other, int flags),
            (at, path, to, other, flags))
MAPPED_BOTH(symlink, (const char *path, const char *other), (path, other))
MAPPED_BOTH(symlinkat, (const char *path, int to, const char *other),
            (path, to, other))
