/* Requests of the node to the program that holds the cluster's namespaces
 * (namespace_holder.c), and its answers, one packet each on a socket
 * (SOCK_SEQPACKET). Plain C: both include it. */
#ifndef TROUPE_NAMESPACE_PROTOCOL_H
#define TROUPE_NAMESPACE_PROTOCOL_H

#include <stdint.h>

enum {
  HOLDER_FD = 3, /* The holder's end of the socket. */

  /* The first answer comes without a request, when the cluster's namespaces
   * exist; descriptors: user, mount, network. */
  HOLDER_STARTED = 0,
  /* The namespaces of a pod; descriptors: network, UTS, IPC. */
  HOLDER_MAKE_POD = 1,
  /* Unmounts the directory `text`: the pod's /dev/shm or a volume in memory. */
  HOLDER_REMOVE_POD = 2,
  /* A new IPv4 socket in the cluster's network; `socket_type` is its type. */
  HOLDER_MAKE_SOCKET = 3,
  /* Puts the interface `text` of the cluster's network on the bridge. */
  HOLDER_ADD_TO_BRIDGE = 4,
  /* Mounts memory at the directory `text`, `size` bytes at most (0: half of the
   * machine's). */
  HOLDER_MOUNT_MEMORY = 5,

  HOLDER_MAX_DESCRIPTORS = 3
};

struct holder_request {
  int what;
  int socket_type;
  int64_t size;
  uint32_t address; /* The pod's; network order. */
  char hostname[64]; /* Truncated, as by a kubelet. */
  char text[4096]; /* The directory of a pod's /dev/shm; an interface. */
};

struct holder_answer {
  int error; /* An errno. */
  char step[124]; /* What failed. */
};

#endif
