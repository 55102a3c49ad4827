/* Parts of a directory that somebody else may have put links into. Plain C: the
 * reaper and the tests include it. */
#ifndef TROUPE_OPEN_IN_ROOT_H
#define TROUPE_OPEN_IN_ROOT_H

#ifdef __cplusplus
extern "C" {
#endif

/* A descriptor (O_PATH) of what is at `part` if `root` is taken for the root
 * directory, so that no link leads out of it; -1 with an errno. */
int open_in_root(int root, const char *part);

/* The same where the kernel cannot do it (openat2, 5.6): links are refused. */
int open_without_links(int root, const char *part);

/* A descriptor (O_PATH) of what is at `part` of the directory `source`, or of
 * that itself if `part` is empty; -1 with an errno: ELOOP if this is not its
 * path without links. So whoever has looked at such a path gets what he has
 * looked at, whatever links were put there since. */
int open_exactly(const char *source, const char *part);

#ifdef __cplusplus
}
#endif

#endif
