#define _GNU_SOURCE
#include "user_namespace.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* -- maps of users and groups --------------------------------------------- */

static int write_file(const char *path, const char *text) {
  int error = 0, fd = open(path, O_WRONLY | O_CLOEXEC);
  if (fd < 0)
    return errno;
  if (write(fd, text, strlen(text)) < 0)
    error = errno;
  close(fd);
  return error;
}

/* All numbers of this namespace, each as itself: every "inside outside count"
 * of its own map becomes "inside inside count". */
static void make_identity_map(const char *path, char *out, size_t size) {
  unsigned inside, count;
  size_t used = 0;
  FILE *map = fopen(path, "re");
  out[0] = '\0';
  while (map && used < size
         && fscanf(map, "%u %*u %u", &inside, &count) == 2)
    used += (size_t)snprintf(out + used, size - used, "%u %u %u\n", inside,
                             inside, count);
  if (map)
    fclose(map);
}

/* Only a process outside may map others than itself: a child that waits until
 * its parent is inside. */
static int map_all(pid_t parent, const char *users, const char *groups,
                   int go) {
  char path[64], word;
  int error;
  if (read(go, &word, 1) != 1)
    return 1;
  snprintf(path, sizeof path, "/proc/%d/uid_map", (int)parent);
  if ((error = write_file(path, users)))
    return error;
  snprintf(path, sizeof path, "/proc/%d/gid_map", (int)parent);
  return write_file(path, groups);
}

static int enter_and_map_all(const char **step) {
  char users[4096], groups[4096];
  int go[2], status = 0;
  pid_t parent = getpid(), child;
  make_identity_map("/proc/self/uid_map", users, sizeof users);
  make_identity_map("/proc/self/gid_map", groups, sizeof groups);
  *step = "making a user namespace";
  if (pipe2(go, O_CLOEXEC) != 0 || (child = fork()) < 0)
    return errno;
  if (child == 0) {
    close(go[1]);
    _exit(map_all(parent, users, groups, go[0]) & 0xff);
  }
  if (unshare(CLONE_NEWUSER) != 0) {
    int error = errno;
    close(go[1]);
    waitpid(child, NULL, 0);
    return error;
  }
  *step = "mapping users and groups";
  if (write(go[1], "!", 1) != 1)
    return errno;
  close(go[0]);
  close(go[1]);
  if (waitpid(child, &status, 0) < 0)
    return errno;
  return WIFEXITED(status) ? WEXITSTATUS(status) : EIO;
}

static int enter_and_map_self(const char **step) {
  unsigned user = geteuid(), group = getegid();
  char text[64];
  int error;
  *step = "making a user namespace";
  if (unshare(CLONE_NEWUSER) != 0)
    return errno;
  *step = "mapping users and groups";
  snprintf(text, sizeof text, "%u %u 1\n", user, user);
  if ((error = write_file("/proc/self/uid_map", text)))
    return error;
  if ((error = write_file("/proc/self/setgroups", "deny")))
    return error;
  snprintf(text, sizeof text, "%u %u 1\n", group, group);
  return write_file("/proc/self/gid_map", text);
}

int enter_new_user_namespace(const char **step) {
  /* Its own files below /proc are root's otherwise. */
  prctl(PR_SET_DUMPABLE, 1);
  return geteuid() == 0 ? enter_and_map_all(step) : enter_and_map_self(step);
}

/* -- capabilities --------------------------------------------------------- */

void keep_only_container_capabilities(void) {
  static const int kept[] = {
      CAP_AUDIT_WRITE, CAP_CHOWN,  CAP_DAC_OVERRIDE, CAP_FOWNER,
      CAP_FSETID,      CAP_KILL,   CAP_MKNOD,        CAP_NET_BIND_SERVICE,
      CAP_NET_RAW,     CAP_SETFCAP, CAP_SETGID,      CAP_SETPCAP,
      CAP_SETUID,      CAP_SYS_CHROOT};
  for (int right = 0; prctl(PR_CAPBSET_READ, right) >= 0; ++right) {
    int is_kept = 0;
    for (size_t i = 0; i < sizeof kept / sizeof *kept; ++i)
      is_kept |= kept[i] == right;
    if (!is_kept)
      prctl(PR_CAPBSET_DROP, right);
  }
}
