/* Opens parts of a directory into which others may put links. Plain C: the
 * reaper and the tests include it. */
#ifndef TROUPE_OPEN_IN_ROOT_H
#define TROUPE_OPEN_IN_ROOT_H

#ifdef __cplusplus
extern "C" {
#endif

/* A descriptor (O_PATH) of the file at `part`, with `root` as the root
 * directory, so that no link leads out of it; -1 with an errno. */
int open_in_root(int root, const char *part);

/* The same for kernels that cannot do it (openat2, 5.6): refuses links and
 * "..". */
int open_without_links(int root, const char *part);

/* A descriptor (O_PATH) of the file at `part` of the directory `source`, or of
 * `source` itself if `part` is empty; -1 with an errno: ELOOP if the path is
 * not one without links. So a caller that has checked a path without links
 * opens what it has checked, whatever links were put there since. */
int open_exactly(const char *source, const char *part);

#ifdef __cplusplus
}
#endif

#endif
