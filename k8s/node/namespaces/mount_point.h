/* Makes mount points in a container's root if the host has none there. The
 * host's directories are not changed: a directory that needs another entry is
 * covered by one in memory that shows the same entries. Files that a container
 * makes in such a directory are lost. So a directory that it shares with the
 * host on purpose (a hostPath, a working directory without an overlay) gets the
 * entry instead, as with other container runtimes. */
#ifndef TROUPE_MOUNT_POINT_H
#define TROUPE_MOUNT_POINT_H

/* Covering directories are made in this one, which must be of the same file
 * system as the root. */
void set_mount_point_store(const char *directory);

/* Mount points below this directory are made in place: it is the container's
 * own, or shared with it on purpose. */
void add_own_directory(const char *path);

/* A directory of more entries is not covered: each entry takes a mount. */
enum { MAX_COVERED_ENTRIES = 5000 };

/* Makes the directory or file at `path`, if it is missing; `out` (of PATH_MAX)
 * gets the path without symbolic links. Returns 0 or an errno: E2BIG if a
 * directory has too many entries. */
int make_mount_point(const char *path, int is_directory, char *out);

/* Makes `to`, which does not exist, show the file or directory at `from`: links
 * are copied, others are bind mounts. Does nothing if that fails. */
void reproduce_entry(const char *from, const char *to);

#endif
