#define _GNU_SOURCE
#include "netlink_message.h"

#include <errno.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <string.h>
#include <sys/socket.h>

static char *bytes_of(struct netlink_message *m) {
  return (char *)m->words;
}

/* Room for so many bytes behind what is there, aligned and zeroed. */
static void *extend(struct netlink_message *m, size_t size) {
  size_t aligned = NLMSG_ALIGN(size);
  void *at = bytes_of(m) + m->size;
  if (size > sizeof m->words || m->size + aligned > sizeof m->words) {
    m->is_too_long = 1;
    return NULL;
  }
  memset(at, 0, aligned);
  m->size += aligned;
  ((struct nlmsghdr *)m->words)->nlmsg_len = (uint32_t)m->size;
  return at;
}

void netlink_begin(struct netlink_message *m, uint16_t type, uint16_t flags,
                   const void *body, size_t body_size) {
  struct nlmsghdr *head = (struct nlmsghdr *)m->words;
  m->size = 0;
  m->is_too_long = 0;
  extend(m, sizeof *head);
  head->nlmsg_type = type;
  head->nlmsg_flags = (uint16_t)(flags | NLM_F_REQUEST | NLM_F_ACK);
  netlink_add_bare(m, body, body_size);
}

void netlink_add_bare(struct netlink_message *m, const void *value,
                      size_t size) {
  void *at = extend(m, size);
  if (at && size > 0)
    memcpy(at, value, size);
}

void netlink_add(struct netlink_message *m, uint16_t type, const void *value,
                 size_t size) {
  struct rtattr *attribute = extend(m, RTA_LENGTH(size));
  if (!attribute)
    return;
  attribute->rta_type = type;
  attribute->rta_len = (unsigned short)RTA_LENGTH(size);
  if (size > 0)
    memcpy(RTA_DATA(attribute), value, size);
}

void netlink_add_text(struct netlink_message *m, uint16_t type,
                      const char *text) {
  netlink_add(m, type, text, strlen(text) + 1);
}

void netlink_add_u32(struct netlink_message *m, uint16_t type,
                     uint32_t value) {
  netlink_add(m, type, &value, sizeof value);
}

size_t netlink_begin_nested(struct netlink_message *m, uint16_t type) {
  size_t where = m->size;
  netlink_add(m, type, NULL, 0);
  return where;
}

void netlink_end_nested(struct netlink_message *m, size_t where) {
  if (!m->is_too_long)
    ((struct rtattr *)(bytes_of(m) + where))->rta_len =
        (unsigned short)(m->size - where);
}

int netlink_call(int socket, struct netlink_message *m) {
  struct nlmsghdr *head = (struct nlmsghdr *)m->words;
  struct {
    struct nlmsghdr head;
    struct nlmsgerr error;
    char rest[sizeof m->words];
  } answer;
  static uint32_t sequence;
  uint32_t number = head->nlmsg_seq = ++sequence;
  ssize_t n;
  if (m->is_too_long)
    return EMSGSIZE;
  if (send(socket, m->words, m->size, 0) < 0)
    return errno;
  do
    n = recv(socket, &answer, sizeof answer, 0);
  while ((n < 0 && errno == EINTR)
         || (n > 0 && answer.head.nlmsg_seq != number));
  if (n < 0)
    return errno;
  if (n < (ssize_t)NLMSG_LENGTH(sizeof answer.error)
      || answer.head.nlmsg_type != NLMSG_ERROR)
    return EPROTO;
  return -answer.error.error;
}
