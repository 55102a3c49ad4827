#define _GNU_SOURCE
#include "container_root.h"

#include "mount_point.h"
#include "../base/open_in_root.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#define HOST_ROOT "/.host"

struct container_mount {
  const char *how, *target, *source, *part;
  int source_fd;
};

static char step_text[PATH_MAX + 96];
static char store[PATH_MAX]; /* Beside the new root, in memory. */

static const char *describe_step(const char *what, const char *path) {
  snprintf(step_text, sizeof step_text, "%s %s", what, path);
  return step_text;
}

/* -- what to mount -------------------------------------------------------- */

/* The next of the words, or NULL. */
static const char *take_word(char **words, const char *end) {
  char *word = *words;
  if (word >= end || !memchr(word, '\0', (size_t)(end - word)))
    return NULL;
  *words = word + strlen(word) + 1;
  return word;
}

static int is_in_memory(const struct container_mount *m) {
  return strcmp(m->how, "text") == 0 || strcmp(m->how, "empty") == 0;
}

/* Opens all sources while the host's paths are still what they were. */
static int read_mounts_and_open_sources(char *words, const char *end,
                                        struct container_mount *mounts,
                                        size_t *count, const char **step) {
  for (*count = 0;; ++*count) {
    struct container_mount m;
    m.how = take_word(&words, end);
    m.target = take_word(&words, end);
    m.source = take_word(&words, end);
    m.part = take_word(&words, end);
    if (!m.part)
      return 0;
    m.source_fd = -1;
    if (!is_in_memory(&m)) {
      *step = describe_step(*m.part ? "opening the subPath for" : "opening",
                            *m.part ? m.target : m.source);
      m.source_fd = open_exactly(m.source, m.part);
      if (m.source_fd < 0)
        return errno;
    }
    mounts[*count] = m;
  }
}

/* -- the host's directories ----------------------------------------------- */

/* Those that a container has of its own. */
static int is_own_directory(const char *name) {
  static const char *const own[] = {"proc", "run", "tmp"};
  for (size_t i = 0; i < sizeof own / sizeof *own; ++i)
    if (strcmp(own[i], name) == 0)
      return 1;
  return 0;
}

static int reproduce_top_directories(void) {
  struct dirent *entry;
  char from[PATH_MAX];
  DIR *root = opendir("/");
  if (!root)
    return errno;
  while ((entry = readdir(root))) {
    snprintf(from, sizeof from, "/%s", entry->d_name);
    if (!is_own_directory(entry->d_name)
        && strcmp(entry->d_name, HOST_ROOT + 1) != 0)
      reproduce_entry(from, entry->d_name);
  }
  closedir(root);
  return 0;
}

/* The new root is a directory of a file system in memory, which also has the
 * directories that stand in for the host's where mount points are added.
 * Without its /run/sshd, which images have, sshd does not start. */
static int build_and_enter_new_root(const char *staging, const char **step) {
  *step = "making the mounts private";
  if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0)
    return errno;
  *step = "making a root directory";
  if (mount("root", staging, "tmpfs", MS_NOSUID | MS_NODEV, "mode=0755") != 0
      || chdir(staging) != 0 || mkdir("store", 0755) != 0
      || mkdir("root", 0755) != 0
      || mount("root", "root", NULL, MS_BIND, NULL) != 0 || chdir("root") != 0
      || reproduce_top_directories() != 0 || mkdir("proc", 0755) != 0
      || mkdir("run", 0755) != 0 || mkdir("run/sshd", 0755) != 0
      || mkdir("tmp", 01777) != 0
      || mkdir(HOST_ROOT + 1, 0700) != 0)
    return errno;
  *step = "changing the root directory";
  if (syscall(SYS_pivot_root, ".", HOST_ROOT + 1) != 0 || chdir("/") != 0)
    return errno;
  snprintf(store, sizeof store, HOST_ROOT "%s/store", staging);
  set_mount_point_store(store);
  return 0;
}

/* /sys shows the network of who mounts it. Not everywhere may one. */
static void mount_own_sys_if_allowed(void) {
  const unsigned long flags = MS_NOSUID | MS_NODEV | MS_NOEXEC | MS_RDONLY;
  if (mount("sysfs", "/sys", "sysfs", flags, NULL) == 0)
    mount(HOST_ROOT "/sys/fs/cgroup", "/sys/fs/cgroup", NULL,
          MS_BIND | MS_REC, NULL);
}

/* -- mounts --------------------------------------------------------------- */

/* Flags of the host's mount that may not be taken back. */
static unsigned long locked_flags(const char *path) {
  struct statvfs s;
  unsigned long flags = 0;
  if (statvfs(path, &s) != 0)
    return 0;
  if (s.f_flag & ST_NOSUID)
    flags |= MS_NOSUID;
  if (s.f_flag & ST_NODEV)
    flags |= MS_NODEV;
  if (s.f_flag & ST_NOEXEC)
    flags |= MS_NOEXEC;
  if (s.f_flag & ST_NOATIME)
    flags |= MS_NOATIME;
  if (s.f_flag & ST_RELATIME)
    flags |= MS_RELATIME;
  return flags;
}

/* With all below it, if the kernel can (mount_setattr, 5.12; the C library may
 * be older). */
static int make_read_only(const char *path) {
  enum { CALL = 442, RECURSIVE = 0x8000, READ_ONLY = 1 };
  uint64_t attributes[4] = {READ_ONLY, 0, 0, 0};
  if (syscall(CALL, AT_FDCWD, path, RECURSIVE, attributes, sizeof attributes)
      == 0)
    return 0;
  return mount(NULL, path, NULL,
               MS_REMOUNT | MS_BIND | MS_RDONLY | locked_flags(path), NULL);
}

static int bind_source(const struct container_mount *m, const char *where) {
  char from[64];
  snprintf(from, sizeof from, HOST_ROOT "/proc/self/fd/%d", m->source_fd);
  if (mount(from, where, NULL, MS_BIND | MS_REC, NULL) != 0)
    return errno;
  return strcmp(m->how, "bind-ro") == 0 && make_read_only(where) != 0 ? errno
                                                                      : 0;
}

/* The node looks for it: that a mount works is not seen from what the kernel
 * leaves in the layers' directory, which it fills before it looks at the rest. */
static void mark_as_mounted(const struct container_mount *m) {
  char path[96];
  int fd;
  snprintf(path, sizeof path, HOST_ROOT "/proc/self/fd/%d/mounted",
           m->source_fd);
  fd = open(path, O_CREAT | O_WRONLY | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (fd >= 0)
    close(fd);
}

/* By relative paths: in options, names with commas or colons would be several.
 * Where the kernel refuses it (before 5.11, or with mounts inside), the host's
 * directory stays. */
static void overlay_source_if_possible(const struct container_mount *m,
                                       const char *where) {
  char options[256];
  snprintf(options, sizeof options,
           "lowerdir=.,upperdir=" HOST_ROOT "/proc/self/fd/%d/upper,"
           "workdir=" HOST_ROOT "/proc/self/fd/%d/work,userxattr",
           m->source_fd, m->source_fd);
  if (chdir(where) == 0
      && mount("overlay", ".", "overlay", MS_NODEV, options) == 0)
    mark_as_mounted(m);
  if (chdir("/") != 0)
    _exit(1);
}

static int write_text_file(const char *path, const char *text) {
  int fd = open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0644);
  int error = 0;
  if (fd < 0)
    return errno;
  if (write(fd, text, strlen(text)) != (ssize_t)strlen(text)
      || fchmod(fd, 0644) != 0)
    error = errno;
  close(fd);
  return error;
}

static int make_in_memory(struct container_mount *m) {
  static int made;
  char path[PATH_MAX + 32];
  int error = 0;
  snprintf(path, sizeof path, "%s/own-%d", store, made++);
  if (strcmp(m->how, "text") == 0)
    error = write_text_file(path, m->source);
  else if (mkdir(path, 0755) != 0 || chmod(path, 0755) != 0)
    error = errno;
  if (!error && (m->source_fd = open(path, O_PATH | O_CLOEXEC)) < 0)
    error = errno;
  return error;
}

static int is_optional(const struct container_mount *m) {
  return strcmp(m->how, "bind-if-possible") == 0;
}

static int mount_source(struct container_mount *m, const char **step) {
  char where[PATH_MAX];
  struct stat source;
  int error;
  *step = describe_step("making what is mounted at", m->target);
  if (is_in_memory(m) && (error = make_in_memory(m)))
    return error;
  *step = describe_step("making the mount point", m->target);
  if (fstat(m->source_fd, &source) != 0)
    return errno;
  error = make_mount_point(m->target, S_ISDIR(source.st_mode), where);
  if (error == E2BIG)
    *step = describe_step("making, in a directory of thousands of entries, the "
                          "mount point", m->target);
  if (error)
    return error;
  *step = describe_step("mounting", m->target);
  if (strcmp(m->how, "overlay") == 0)
    overlay_source_if_possible(m, where);
  else if ((error = bind_source(m, where)))
    return error;
  add_own_directory(where);
  return 0;
}

int enter_container_root(char *words, size_t size, const char **step) {
  const char *end = words + size, *staging = take_word(&words, end);
  /* Four words for each, the last of which may be empty. */
  struct container_mount *mounts = calloc(size / 4 + 1, sizeof *mounts);
  size_t count = 0;
  int error;
  *step = "reading what to mount";
  if (!staging || !mounts)
    return EINVAL;
  if ((error = read_mounts_and_open_sources(words, end, mounts, &count, step))
      || (error = build_and_enter_new_root(staging, step)))
    return error;
  mount_own_sys_if_allowed();
  mount("mqueue", "/dev/mqueue", "mqueue", MS_NOSUID | MS_NODEV | MS_NOEXEC,
        NULL);
  for (size_t i = 0; i < count; ++i) {
    if ((error = mount_source(&mounts[i], step)) && !is_optional(&mounts[i]))
      return error;
    close(mounts[i].source_fd);
  }
  free(mounts);
  return 0;
}

int finish_container_root(const char **step) {
  *step = "mounting /proc";
  if (mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL)
      != 0)
    return errno;
  *step = "dropping the host's root directory";
  if (umount2(HOST_ROOT, MNT_DETACH) != 0 || rmdir(HOST_ROOT) != 0)
    return errno;
  return 0;
}
