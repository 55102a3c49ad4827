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

#ifdef __cplusplus
}
#endif

#endif
