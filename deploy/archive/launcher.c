/* bin/troupe of an archive: starts lib/troupe with the loader and the C library
 * of the archive, so that those of the machine may be older. The environment
 * stays as it is: programs that Troupe starts get the machine's libraries.
 *
 * Exit code: that of Troupe; 126 if it cannot be started, with the reason. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef __aarch64__
#  define LOADER "ld-linux-aarch64.so.1"
#else
#  define LOADER "ld-linux-x86-64.so.2"
#endif

static int failed(const char* what, const char* why) {
  fprintf(stderr, "troupe: %s: %s\n", what, why);
  return 126;
}

/* Cuts the last `levels` names off a path. */
static void cut(char* path, int levels) {
  for (; levels > 0; --levels) {
    char* slash = strrchr(path, '/');
    if (slash)
      *slash = '\0';
  }
}

int main(int argc, char** argv) {
  char root[PATH_MAX];
  ssize_t size = readlink("/proc/self/exe", root, sizeof root - 1);
  if (size < 0)
    return failed("/proc/self/exe cannot be read", strerror(errno));
  root[size] = '\0';
  cut(root, 2);
  if (strpbrk(root, ":;"))
    return failed(root, "the loader takes no folder with ':' or ';' in its "
                        "name; move it");
  char loader[PATH_MAX + 64], libraries[PATH_MAX + 64], program[PATH_MAX + 64];
  snprintf(loader, sizeof loader, "%s/lib/" LOADER, root);
  snprintf(libraries, sizeof libraries, "%s/lib", root);
  snprintf(program, sizeof program, "%s/lib/troupe", root);
  char* name = argc > 0 ? argv[0] : "troupe";
  // The first is what lists of processes show.
  char* before[] = {name,   "--inhibit-cache", "--argv0",
                    name,   "--library-path",  libraries,
                    program};
  size_t count = sizeof before / sizeof *before;
  char** all = calloc(count + (size_t)argc + 1, sizeof *all);
  if (!all)
    return failed("no memory", strerror(errno));
  memcpy(all, before, sizeof before);
  for (int i = 1; i < argc; ++i)
    all[count + (size_t)i - 1] = argv[i];
  execv(loader, all);
  if (errno == ENOENT)
    return failed(loader, "is not there; bin/troupe works in its folder only: "
                          "make a link to it instead of a copy");
  return failed(loader, strerror(errno));
}
