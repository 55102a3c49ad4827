/* Messages with descriptors beside them, on a socket of this machine
 * (SCM_RIGHTS). */
#ifndef TROUPE_DESCRIPTOR_MESSAGE_H
#define TROUPE_DESCRIPTOR_MESSAGE_H

#include <stddef.h>

enum { MAX_MESSAGE_DESCRIPTORS = 3 };

/* Sends `size` bytes, and with the first of them `count` descriptors, 0 to
 * MAX_MESSAGE_DESCRIPTORS. Returns whether all was sent. */
int send_with_descriptors(int socket, const void *bytes, size_t size,
                          const int *descriptors, int count);

/* Receives `size` bytes, and with the first of them `count` descriptors, 1 to
 * MAX_MESSAGE_DESCRIPTORS, which are closed on exec. Returns whether all came,
 * with exactly that number of descriptors. */
int receive_with_descriptors(int socket, void *bytes, size_t size,
                             int *descriptors, int count);

#endif
