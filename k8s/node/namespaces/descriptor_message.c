#define _GNU_SOURCE
#include "descriptor_message.h"

#include <string.h>
#include <sys/socket.h>

union control_message {
  struct cmsghdr head;
  char space[CMSG_SPACE(MAX_MESSAGE_DESCRIPTORS * sizeof(int))];
};

int send_with_descriptors(int socket, const void *bytes, size_t size,
                          const int *descriptors, int count) {
  size_t descriptors_size = (size_t)count * sizeof(int);
  struct iovec text = {(void *)bytes, size};
  union control_message control;
  struct msghdr m = {.msg_iov = &text, .msg_iovlen = 1};
  if (count > 0) {
    memset(&control, 0, sizeof control);
    control.head.cmsg_level = SOL_SOCKET;
    control.head.cmsg_type = SCM_RIGHTS;
    control.head.cmsg_len = CMSG_LEN(descriptors_size);
    memcpy(CMSG_DATA(&control.head), descriptors, descriptors_size);
    m.msg_control = &control;
    m.msg_controllen = CMSG_SPACE(descriptors_size);
  }
  return sendmsg(socket, &m, MSG_NOSIGNAL) == (ssize_t)size;
}

int receive_with_descriptors(int socket, void *bytes, size_t size,
                             int *descriptors, int count) {
  size_t descriptors_size = (size_t)count * sizeof(int);
  struct iovec text = {bytes, size};
  union control_message control;
  struct msghdr m = {.msg_iov = &text,
                     .msg_iovlen = 1,
                     .msg_control = &control,
                     .msg_controllen = sizeof control};
  struct cmsghdr *c;
  if (recvmsg(socket, &m, MSG_CMSG_CLOEXEC | MSG_WAITALL) != (ssize_t)size
      || !(c = CMSG_FIRSTHDR(&m)) || c->cmsg_type != SCM_RIGHTS
      || c->cmsg_len != CMSG_LEN(descriptors_size))
    return 0;
  memcpy(descriptors, CMSG_DATA(c), descriptors_size);
  return 1;
}
