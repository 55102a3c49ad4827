#define _GNU_SOURCE
#include "mount_point.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

enum { MAX_LINKS = 40 };

static char store[PATH_MAX];
static int covered; /* Directories in the store. */
static char **own;
static size_t own_count;

void set_mount_point_store(const char *directory) {
  snprintf(store, sizeof store, "%s", directory);
}

void add_own_directory(const char *path) {
  char **longer = realloc(own, (own_count + 1) * sizeof *own);
  if (!longer)
    return;
  own = longer;
  if ((own[own_count] = strdup(path)))
    ++own_count;
}

static int create_file(const char *path) {
  int fd = open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0644);
  if (fd < 0)
    return -1;
  return close(fd);
}

void reproduce_entry(const char *from, const char *to) {
  char link[PATH_MAX];
  struct stat s;
  ssize_t n;
  if (lstat(from, &s) != 0)
    return;
  if (S_ISLNK(s.st_mode)) {
    n = readlink(from, link, sizeof link - 1);
    link[n > 0 ? n : 0] = '\0';
    if (n <= 0 || symlink(link, to) != 0)
      return;
  } else if (S_ISDIR(s.st_mode)) {
    if (mkdir(to, 0755) == 0 && mount(from, to, NULL, MS_BIND | MS_REC, NULL))
      rmdir(to);
  } else if (create_file(to) == 0 && mount(from, to, NULL, MS_BIND, NULL)) {
    unlink(to);
  }
}

/* -- adding an entry ------------------------------------------------------ */

static int is_below(const char *path, const char *top) {
  size_t n = strlen(top);
  return strncmp(path, top, n) == 0 && (path[n] == '/' || path[n] == '\0');
}

/* Whether an entry may be added: the directory is in memory, or the
 * container's own. */
static int may_add_entries(const char *directory) {
  struct stat here, ours;
  for (size_t i = 0; i < own_count; ++i)
    if (is_below(directory, own[i]))
      return 1;
  return stat(directory, &here) == 0 && stat(store, &ours) == 0
         && here.st_dev == ours.st_dev;
}

static int has_too_many_entries(DIR *entries) {
  int count = 0;
  while (count <= MAX_COVERED_ENTRIES + 2 && readdir(entries))
    ++count;
  rewinddir(entries);
  return count > MAX_COVERED_ENTRIES + 2;
}

/* Such a directory shows nothing to the container, either: what stands in for
 * it is empty. */
static int is_closed_to_us(const char *directory) {
  return access(directory, X_OK) != 0 && errno == EACCES;
}

/* -- the device that makes terminals -------------------------------------- */

#define NEIGHBOURS ".covered"

static int makes_terminals(const char *path) {
  struct stat s;
  return lstat(path, &s) == 0 && S_ISCHR(s.st_mode)
         && s.st_rdev == makedev(5, 2);
}

/* It looks for "pts" beside itself, and finds none where it is mounted alone:
 * a link leads to it in what is covered. */
static void reproduce_with_neighbours(const char *directory, const char *name,
                                      const char *copy) {
  char there[2 * PATH_MAX], link[2 * PATH_MAX], text[PATH_MAX];
  snprintf(there, sizeof there, "%s/" NEIGHBOURS, copy);
  snprintf(link, sizeof link, "%s/%s", copy, name);
  snprintf(text, sizeof text, NEIGHBOURS "/%s", name);
  if (mkdir(there, 0755) != 0
      || mount(directory, there, NULL, MS_BIND | MS_REC, NULL) != 0
      || symlink(text, link) != 0)
    return;
}

/* -- covering a directory ------------------------------------------------- */

static int cover(const char *directory) {
  char copy[PATH_MAX + 32], from[2 * PATH_MAX], to[2 * PATH_MAX];
  struct dirent *entry;
  struct stat s;
  int error;
  DIR *entries = opendir(directory);
  if (!entries && (error = errno) && !is_closed_to_us(directory))
    return error;
  if (entries && has_too_many_entries(entries)) {
    closedir(entries);
    return E2BIG;
  }
  snprintf(copy, sizeof copy, "%s/%d", store, covered++);
  if (stat(directory, &s) != 0 || mkdir(copy, 0700) != 0) {
    error = errno;
    if (entries)
      closedir(entries);
    return error;
  }
  while (entries && (entry = readdir(entries)))
    if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) {
      snprintf(from, sizeof from, "%s/%s", directory, entry->d_name);
      snprintf(to, sizeof to, "%s/%s", copy, entry->d_name);
      if (makes_terminals(from))
        reproduce_with_neighbours(directory, entry->d_name, copy);
      else
        reproduce_entry(from, to);
    }
  if (entries)
    closedir(entries);
  chmod(copy, s.st_mode & 07777);
  return mount(copy, directory, NULL, MS_BIND | MS_REC, NULL) == 0 ? 0 : errno;
}

static int add_entry_or_cover_parent(const char *parent, const char *path,
                                     int is_directory) {
  const char *directory = *parent ? parent : "/";
  int error = 0;
  for (int i = 0; i < 2; ++i) {
    if (i == 1 || may_add_entries(directory)) {
      if ((is_directory ? mkdir(path, 0755) : create_file(path)) == 0)
        return 0;
      error = errno;
    }
    if (i == 0 && (error = cover(directory)))
      return error;
  }
  return error;
}

/* -- the path ------------------------------------------------------------- */

/* Replaces what is left of the path by the link's text before it. */
static int follow_link(const char *link, char *rest, char *resolved) {
  char text[PATH_MAX], joined[2 * PATH_MAX];
  ssize_t n = readlink(link, text, sizeof text - 1);
  if (n < 0)
    return errno;
  text[n] = '\0';
  if (text[0] == '/')
    resolved[0] = '\0';
  snprintf(joined, sizeof joined, "%s/%s", text, rest);
  if (strlen(joined) >= PATH_MAX)
    return ENAMETOOLONG;
  strcpy(rest, joined);
  return 0;
}

static void remove_last_part(char *path) {
  char *slash = strrchr(path, '/');
  if (slash)
    *slash = '\0';
}

/* Takes the first part from `rest`, without slashes. */
static void take_part(char *rest, char *part) {
  size_t skipped = strspn(rest, "/");
  size_t length = strcspn(rest + skipped, "/");
  memcpy(part, rest + skipped, length);
  part[length] = '\0';
  memmove(rest, rest + skipped + length, strlen(rest + skipped + length) + 1);
}

int make_mount_point(const char *path, int is_directory, char *out) {
  char rest[PATH_MAX], part[PATH_MAX], next[2 * PATH_MAX];
  struct stat s;
  int links = 0, error;
  if (strlen(path) >= sizeof rest)
    return ENAMETOOLONG;
  strcpy(rest, path);
  out[0] = '\0';
  for (;;) {
    int is_last;
    take_part(rest, part);
    if (!part[0])
      return out[0] ? 0 : EINVAL; /* Not the root itself. */
    is_last = rest[strspn(rest, "/")] == '\0';
    if (strcmp(part, ".") == 0)
      continue;
    if (strcmp(part, "..") == 0) {
      remove_last_part(out);
      continue;
    }
    snprintf(next, sizeof next, "%s/%s", out, part);
    if (strlen(next) >= PATH_MAX)
      return ENAMETOOLONG;
    if (lstat(next, &s) != 0) {
      if (errno != ENOENT && !(errno == EACCES && is_closed_to_us(out)))
        return errno;
      if ((error = add_entry_or_cover_parent(out, next,
                                             is_directory || !is_last)))
        return error;
    } else if (S_ISLNK(s.st_mode)) {
      if (++links > MAX_LINKS)
        return ELOOP;
      if ((error = follow_link(next, rest, out)))
        return error;
      continue;
    }
    strcpy(out, next);
  }
}
