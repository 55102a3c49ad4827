/* Requests to the kernel about network interfaces (rtnetlink), built in place.
 * A message that becomes too long is marked and is not sent. Plain C: the
 * program that holds the cluster's namespaces and the tests include it. */
#ifndef TROUPE_NETLINK_MESSAGE_H
#define TROUPE_NETLINK_MESSAGE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct netlink_message {
  uint32_t words[256];
  size_t size; /* In bytes. */
  int is_too_long;
};

/* Begins a request of this type; `body` is the fixed part behind the head. */
void netlink_begin(struct netlink_message *m, uint16_t type, uint16_t flags,
                   const void *body, size_t body_size);

/* Adds an attribute. */
void netlink_add(struct netlink_message *m, uint16_t type, const void *value,
                 size_t size);
void netlink_add_text(struct netlink_message *m, uint16_t type,
                      const char *text);
void netlink_add_u32(struct netlink_message *m, uint16_t type, uint32_t value);

/* Attributes, or a fixed part, inside an attribute: they are added between
 * begin and end; end needs the result of begin. */
size_t netlink_begin_nested(struct netlink_message *m, uint16_t type);
void netlink_add_bare(struct netlink_message *m, const void *value,
                      size_t size);
void netlink_end_nested(struct netlink_message *m, size_t where);

/* Sends the message and waits for the acknowledgement. Returns 0 or an
 * errno. */
int netlink_call(int socket, struct netlink_message *m);

#ifdef __cplusplus
}
#endif

#endif
