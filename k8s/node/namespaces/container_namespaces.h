/* A container in its own namespaces. The node hands its reaper what it needs on
 * fixed descriptors. Plain C: both include it. */
#ifndef TROUPE_CONTAINER_NAMESPACES_H
#define TROUPE_CONTAINER_NAMESPACES_H

enum {
  CONTAINER_MOUNTS_FD = 4, /* The mounts, as container_root.h says. */
  CONTAINER_USER_FD = 5,   /* The cluster's user namespace, ... */
  CONTAINER_MOUNT_FD = 6,  /* ... and its mounts. */
  CONTAINER_NETWORK_FD = 7, /* The pod's, as the next two. */
  CONTAINER_UTS_FD = 8,
  CONTAINER_IPC_FD = 9,
  CONTAINER_EXEC_FD = 10, /* A socket that listens for exec; may be missing. */

  /* The reaper of a command in a container gets the container's mount namespace
   * instead of the cluster's, and its PID namespace; but no mounts and no
   * socket. */
  CONTAINER_PROCESSES_FD = 11
};

#ifdef __cplusplus
extern "C" {
#endif

/* Enters the namespaces and starts `run_init`, with a pipe for its reports
 * (reaper_report.h), as the first process of a new PID namespace or, for a
 * command, as one more process of the container. Then passes on reports and
 * signals, and serves exec, until that process has ended. Returns the exit code
 * of this program. The caller must have blocked the signals of the reaper. */
int run_in_namespaces(char **argv, int is_command,
                      void (*run_init)(char **argv, int reports));

#ifdef __cplusplus
}
#endif

#endif
