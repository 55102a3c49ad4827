/* Commands that run in a container beside its program (kubectl exec), requested
 * through a socket in the file system. */
#ifndef TROUPE_CONTAINER_EXEC_H
#define TROUPE_CONTAINER_EXEC_H

#include <stdint.h>

/* A request begins with this, together with three descriptors: the command's
 * input, output and errors. Then come the command's words, each with a zero
 * byte at its end. The answer is the command's wait status, an int. A caller
 * that closes the connection before that ends the command. */
struct exec_request_head {
  uint32_t size; /* Of the words. */
};

/* Accepts one connection and starts a child that reads its request and runs the
 * command, in this process's environment and namespaces. Does not wait for
 * it. */
void serve_exec_request(int listener, const char *directory);

/* The other side: has the command run through the socket at `path` and returns
 * its wait status, or -1: with errno 0 if the container has ended, with another
 * errno if it cannot be reached. */
int request_exec_and_wait(const char *path, char **command, const int *streams);

#endif
