#define _GNU_SOURCE
#include "close_descriptors.h"

#include <dirent.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Without /proc: up to the limit, which may be a million. */
static void close_up_to_limit(int first) {
  struct rlimit limit;
  int end = 1 << 20;
  if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < 1 << 20)
    end = (int)limit.rlim_cur;
  for (int fd = first; fd < end; ++fd)
    close(fd);
}

void close_descriptors_one_by_one(int first) {
  struct dirent *entry;
  DIR *open_ones = opendir("/proc/self/fd");
  if (!open_ones) {
    close_up_to_limit(first);
    return;
  }
  while ((entry = readdir(open_ones))) {
    int fd = atoi(entry->d_name); /* 0 of "." and "..". */
    if (fd >= first && fd != dirfd(open_ones))
      close(fd);
  }
  closedir(open_ones);
}

void close_descriptors_from(int first) {
  if (syscall(SYS_close_range, (unsigned)first, ~0u, 0u) != 0)
    close_descriptors_one_by_one(first);
}
