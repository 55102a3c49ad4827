/* Programs that a pod's programs start stay in the pod: with its volumes, and
 * with its variables, even if they are given an environment of their own (as by
 * sshd), or that of another pod (as by MPICH's launcher). */
#include "preload.h"

#include "../base/path_map.h"

#include <limits.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern char **environ;

/* -- the pod's variables -------------------------------------------------- */

static const char *const names[] = {
    "LD_PRELOAD",      "TROUPE_POD_IP",   "TROUPE_HOSTNAME",
    "TROUPE_FULL_NAME", "TROUPE_SEARCHES", "TROUPE_HOSTS",
    "TROUPE_PATHS",    "TROUPE_POD_NAME", "TROUPE_PODS"};

enum { COUNT = sizeof names / sizeof *names, LIBRARY = 0, ADDRESS = 1 };

/* "NAME=value" of each, NULL if there is none. Copies: programs write over the
 * environment that they were started with. */
static char *kept[COUNT];

/* Whether it is the variable of that name. */
static int is_variable(const char *text, const char *name) {
  size_t length = strlen(name);
  return strncmp(text, name, length) == 0 && text[length] == '=';
}

static const char *find_text(char *const *variables, const char *name) {
  for (; variables && *variables; ++variables)
    if (is_variable(*variables, name))
      return *variables;
  return NULL;
}

static void __attribute__((constructor)) keep_variables(void) {
  if (!find_text(environ, names[ADDRESS]))
    return;
  for (int i = 0; i < COUNT; ++i) {
    const char *text = find_text(environ, names[i]);
    kept[i] = text ? strdup(text) : NULL;
  }
}

const char *kept_variable(const char *name) {
  for (int i = 0; i < COUNT; ++i)
    if (kept[i] && strcmp(names[i], name) == 0)
      return kept[i] + strlen(name) + 1;
  return NULL;
}

static size_t count_texts(char *const *variables) {
  size_t count = 0;
  while (variables && variables[count])
    ++count;
  return count;
}

static int index_of(const char *text) {
  for (int i = 0; i < COUNT; ++i)
    if (is_variable(text, names[i]))
      return i;
  return -1;
}

/* The environment for a program: `given`, or a list in `space` if that is of no
 * pod or of another one. Whoever only takes the library away wants that. */
static char *const *with_pod_variables(char *const *given, char **space) {
  const char *address = find_text(given, names[ADDRESS]);
  size_t count = 0;
  int has_library = find_text(given, names[LIBRARY]) != NULL;
  if (!kept[ADDRESS] || (address && strcmp(address, kept[ADDRESS]) == 0))
    return given;
  for (; given && *given; ++given)
    if (index_of(*given) <= LIBRARY)
      space[count++] = *given;
  for (int i = 0; i < COUNT; ++i)
    if (kept[i] && (i != LIBRARY || (!has_library && !address)))
      space[count++] = kept[i];
  space[count] = NULL;
  return space;
}

/* -- running -------------------------------------------------------------- */

#define POD_VARIABLES(given)                                                   \
  char *variables_space[count_texts(given) + COUNT + 1];                       \
  char *const *variables = with_pod_variables(given, variables_space);

EXPORT int execve(const char *path, char *const argv[], char *const envp[]) {
  char space[PATH_MAX];
  REAL(int, "execve", const char *, char *const[], char *const[])
  POD_VARIABLES(envp)
  return real(map_path(get_variable("TROUPE_PATHS"), path, space, sizeof space),
              argv, variables);
}

EXPORT int execv(const char *path, char *const argv[]) {
  return execve(path, argv, environ);
}

/* The search along PATH is out of our sight, so we do it; what it does not
 * find stays as it is, for the right error. */
static const char *find_program(const char *name, char *space) {
  const char *maps = get_variable("TROUPE_PATHS");
  const char *file =
      maps && name
          ? find_mapped_program(maps, get_variable("PATH"), name, space,
                                PATH_MAX)
          : NULL;
  return file ? file : name;
}

EXPORT int execvpe(const char *file, char *const argv[], char *const envp[]) {
  char space[PATH_MAX];
  REAL(int, "execvpe", const char *, char *const[], char *const[])
  POD_VARIABLES(envp)
  return real(find_program(file, space), argv, variables);
}

EXPORT int execvp(const char *file, char *const argv[]) {
  return execvpe(file, argv, environ);
}

EXPORT int posix_spawn(pid_t *pid, const char *path,
                       const posix_spawn_file_actions_t *actions,
                       const posix_spawnattr_t *how, char *const argv[],
                       char *const envp[]) {
  char space[PATH_MAX];
  REAL(int, "posix_spawn", pid_t *, const char *,
       const posix_spawn_file_actions_t *, const posix_spawnattr_t *,
       char *const[], char *const[])
  POD_VARIABLES(envp)
  return real(pid,
              map_path(get_variable("TROUPE_PATHS"), path, space, sizeof space),
              actions, how, argv, variables);
}

EXPORT int posix_spawnp(pid_t *pid, const char *file,
                        const posix_spawn_file_actions_t *actions,
                        const posix_spawnattr_t *how, char *const argv[],
                        char *const envp[]) {
  char space[PATH_MAX];
  REAL(int, "posix_spawnp", pid_t *, const char *,
       const posix_spawn_file_actions_t *, const posix_spawnattr_t *,
       char *const[], char *const[])
  POD_VARIABLES(envp)
  return real(pid, find_program(file, space), actions, how, argv, variables);
}
