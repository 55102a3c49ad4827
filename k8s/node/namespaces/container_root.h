/* The file system of a container: the host's, with a few directories of its
 * own and the pod's volumes as mounts. Works in a mount namespace that is the
 * caller's alone.
 *
 * The mounts are told as words that end with a zero byte: a directory of the
 * host to build in, then four words for each mount, parents first: how, where
 * in the container, what of the host, and which part of that, if not all. Both
 * are paths without links, as a container may put links there meanwhile: what is
 * somewhere else is not mounted.
 *
 *   bind       what is there, with all that is mounted below it
 *   bind-ro    the same, read-only
 *   text       a file in memory with the third word as its text
 *   empty      an empty directory in memory; the third word is empty, too
 *   overlay    what the host has there, and changes go to the directory, which
 *              has `upper` and `work` in it, and gets a file `mounted`; where
 *              the kernel refuses that, what the host has there
 */
#ifndef TROUPE_CONTAINER_ROOT_H
#define TROUPE_CONTAINER_ROOT_H

#include <stddef.h>

/* Makes it the root directory, with the host's at HOST_ROOT. 0, or an errno;
 * `step` says what was tried last. */
int enter_container_root(char *words, size_t size, const char **step);

/* Mounts /proc of the present PID namespace and drops the host's root. */
int finish_container_root(const char **step);

#endif
