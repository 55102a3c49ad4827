/* Mount points in a container's root, made where the host has none. The host's
 * directories are not changed: one that needs another entry is covered by a
 * directory in memory that shows the same entries. As what a container makes in
 * such a directory is lost, those that it shares with the host on purpose (a
 * hostPath, a working directory without an overlay) get the entry instead, as
 * with other container runtimes. */
#ifndef TROUPE_MOUNT_POINT_H
#define TROUPE_MOUNT_POINT_H

/* Where such directories are made: a directory of the same file system as the
 * root. */
void set_mount_point_store(const char *directory);

/* Below this directory mount points are made in place: it is the container's,
 * or shared with it. */
void add_own_directory(const char *path);

/* No directory of more entries is covered: each takes a mount. */
enum { MAX_COVERED_ENTRIES = 5000 };

/* Makes the directory or file that `path` means, if it is missing; `out` (of
 * PATH_MAX) is the path without symbolic links. 0, or an errno: E2BIG if a
 * directory has too many entries. */
int make_mount_point(const char *path, int is_directory, char *out);

/* Shows at `to`, which is not there, what is at `from`. Entries that cannot be
 * shown are left out. */
void reproduce_entry(const char *from, const char *to);

#endif
