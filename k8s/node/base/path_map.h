/* Finds a pod's volumes on this host if nothing can be mounted. Plain C: the
 * preload library, the node and its kubectl include it.
 *
 * `maps` is "/etc/mpi:/run/a:/opt/kube:/run/b": pairs of a path of the pod,
 * without a slash at its end, and one of this host; if several fit, the first
 * counts. NULL has no pairs. */
#ifndef TROUPE_PATH_MAP_H
#define TROUPE_PATH_MAP_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The path on this host, in `space`; or `path` itself if it is in no volume, is
 * relative, or becomes too long. */
const char *map_path(const char *maps, const char *path, char *space,
                     size_t size);

/* The file of the program `name`, which is searched in `path`, a list as PATH
 * is, if it has no slash; with a slash it is mapped without a search. NULL:
 * there is none. */
const char *find_mapped_program(const char *maps, const char *path,
                                const char *name, char *space, size_t size);

#ifdef __cplusplus
}
#endif

#endif
