/* The file system of a container: the host's, with a few directories of its own
 * and the pod's volumes as mounts. The caller needs its own mount namespace.
 *
 * The mounts are given as words that end with a zero byte: a directory of the
 * host to build in, then four words for each mount, parents first: how, where
 * in the container, what of the host, and which part of that ("": all). The
 * last two are paths without links: a path that a container has meanwhile led
 * elsewhere by a link is not mounted.
 *
 *   bind       what is there, with all that is mounted below it
 *   bind-ro    the same, read-only
 *   bind-if-possible
 *              what is there, or nothing, where it cannot be mounted
 *   text       a file in memory with the third word as its text
 *   empty      an empty directory in memory; the third word is empty, too
 *   overlay    what the host has there, and changes go to the directory, which
 *              has `upper` and `work` in it, and gets a file `mounted`; where
 *              the kernel refuses that, what the host has there
 */
#ifndef TROUPE_CONTAINER_ROOT_H
#define TROUPE_CONTAINER_ROOT_H

#include <stddef.h>

/* Builds the file system and makes it the root directory, with the host's at
 * HOST_ROOT. Returns 0 or an errno; `step` says what was tried last. */
int enter_container_root(char *words, size_t size, const char **step);

/* Mounts /proc of the present PID namespace and drops the host's root. */
int finish_container_root(const char **step);

#endif
