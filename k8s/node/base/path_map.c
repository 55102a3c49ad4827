#include "path_map.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Behind a slash: what says nothing, as in "//" and "/./". */
static const char *skip_empty_parts(const char *path) {
  for (;;) {
    if (*path == '/')
      ++path;
    else if (path[0] == '.' && path[1] == '/')
      path += 2;
    else
      return path;
  }
}

/* What of `path` is left behind [top, end); NULL if it is elsewhere. */
static const char *path_below(const char *path, const char *top,
                              const char *end) {
  for (; top < end; ++top) {
    if (*path != *top)
      return NULL;
    ++path;
    if (*top == '/')
      path = skip_empty_parts(path);
  }
  return *path == '\0' || *path == '/' ? path : NULL;
}

const char *map_path(const char *maps, const char *path, char *space,
                     size_t size) {
  if (!maps || !path || *path != '/')
    return path;
  while (*maps) {
    const char *middle = maps + strcspn(maps, ":");
    const char *there = *middle ? middle + 1 : middle;
    size_t length = strcspn(there, ":");
    const char *rest = path_below(path, maps, middle);
    if (rest) {
      int n = snprintf(space, size, "%.*s%s", (int)length, there, rest);
      return n >= 0 && (size_t)n < size ? space : path;
    }
    maps = there + length;
    if (*maps)
      ++maps;
  }
  return path;
}

/* Not access: the preload library's would map what is mapped. */
static int can_run(const char *file) {
  return syscall(SYS_faccessat, AT_FDCWD, file, X_OK) == 0;
}

const char *find_mapped_program(const char *maps, const char *path,
                                const char *name, char *space, size_t size) {
  char one[PATH_MAX];
  if (strchr(name, '/'))
    return map_path(maps, name, space, size);
  while (path) {
    size_t length = strcspn(path, ":");
    const char *file;
    int n = snprintf(one, sizeof one, "%.*s/%s", (int)length, path, name);
    if (length > 0 && n >= 0 && (size_t)n < sizeof one) {
      file = map_path(maps, one, space, size);
      if (file == one && (size_t)n < size)
        file = strcpy(space, one);
      if (file == space && can_run(file))
        return file;
    }
    path = path[length] ? path + length + 1 : NULL;
  }
  return NULL;
}
