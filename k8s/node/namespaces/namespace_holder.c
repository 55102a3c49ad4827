/* Makes the namespaces of a cluster and holds them until the node is gone:
 * a user namespace that an ordinary user may make, and in it a mount and a
 * network namespace with a bridge. Makes the namespaces of pods for the node,
 * which keeps them by their descriptors. Linked statically.
 *
 *   namespace-holder ADDRESS GATEWAY
 *
 * ADDRESS is the bridge's, GATEWAY the pods' default route. Requests come on
 * descriptor 3 (namespace_protocol.h); its end is this program's. */
#define _GNU_SOURCE
#include "descriptor_message.h"
#include "namespace_protocol.h"
#include "pod_network.h"
#include "user_namespace.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

struct cluster {
  int user, mounts, network;         /* Namespaces. */
  int own_network, own_uts, own_ipc; /* Where this program is. */
  int netlink;
  uint32_t address, gateway;
};

_Static_assert((int)HOLDER_MAX_DESCRIPTORS <= (int)MAX_MESSAGE_DESCRIPTORS,
               "an answer's descriptors go with one message");

static void send_answer(int error, const char *step, const int *descriptors,
                        int count) {
  struct holder_answer answer;
  memset(&answer, 0, sizeof answer);
  answer.error = error;
  snprintf(answer.step, sizeof answer.step, "%s", error ? step : "");
  if (!send_with_descriptors(HOLDER_FD, &answer, sizeof answer, descriptors,
                             error ? 0 : count))
    _exit(0); /* The node is gone. */
}

static int open_namespace(const char *name) {
  char path[64];
  snprintf(path, sizeof path, "/proc/self/ns/%s", name);
  return open(path, O_RDONLY | O_CLOEXEC);
}

static void write_setting_if_possible(const char *path, const char *text) {
  int fd = open(path, O_WRONLY | O_CLOEXEC);
  if (fd < 0)
    return;
  if (write(fd, text, strlen(text)) < 0)
    errno = 0; /* An older kernel; what needs it says so itself. */
  close(fd);
}

/* As container runtimes set a pod's network: everybody may listen on low
 * ports. */
static void set_pod_network_settings(void) {
  write_setting_if_possible("/proc/sys/net/ipv4/ip_unprivileged_port_start",
                            "0");
  write_setting_if_possible("/proc/sys/net/ipv6/conf/default/accept_dad", "0");
}

/* -- the cluster ---------------------------------------------------------- */

static int start_cluster(struct cluster *c, const char **step) {
  int error;
  if ((error = enter_new_user_namespace(step)))
    return error;
  *step = "making the cluster's namespaces";
  if (unshare(CLONE_NEWNS | CLONE_NEWNET | CLONE_NEWUTS | CLONE_NEWIPC) != 0)
    return errno;
  *step = "making the mounts private";
  if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0)
    return errno;
  *step = "opening the namespaces";
  c->user = open_namespace("user");
  c->mounts = open_namespace("mnt");
  c->network = c->own_network = open_namespace("net");
  c->own_uts = open_namespace("uts");
  c->own_ipc = open_namespace("ipc");
  c->netlink = open_netlink_socket();
  if (c->user < 0 || c->mounts < 0 || c->network < 0 || c->own_uts < 0
      || c->own_ipc < 0 || c->netlink < 0)
    return errno;
  set_pod_network_settings();
  if ((error = bring_loopback_up(c->netlink, step)))
    return error;
  return make_bridge(c->netlink, c->address, step);
}

/* -- requests ------------------------------------------------------------- */

/* Inside the pod's new namespaces. */
static int set_up_pod(const struct cluster *c, const struct holder_request *q,
                      int pod_network, const char **step) {
  int error, netlink = open_netlink_socket();
  *step = "setting the host name";
  if (netlink < 0 || sethostname(q->hostname, strlen(q->hostname)) != 0)
    return errno;
  set_pod_network_settings();
  if (!(error = bring_loopback_up(netlink, step)))
    error = add_pod_interface(c->netlink, netlink, pod_network, q->address,
                              c->gateway, step);
  close(netlink);
  return error;
}

/* Goes into new namespaces and comes back; they stay as long as somebody has
 * their descriptors. */
static void make_pod_and_answer(const struct cluster *c,
                                const struct holder_request *q) {
  const char *step = "making the pod's namespaces";
  int made[3] = {-1, -1, -1}, error;
  if (unshare(CLONE_NEWNET | CLONE_NEWUTS | CLONE_NEWIPC) != 0) {
    send_answer(errno, step, NULL, 0);
    return;
  }
  made[0] = open_namespace("net");
  made[1] = open_namespace("uts");
  made[2] = open_namespace("ipc");
  error = made[0] < 0 || made[1] < 0 || made[2] < 0
              ? errno
              : set_up_pod(c, q, made[0], &step);
  if (setns(c->own_network, CLONE_NEWNET) != 0
      || setns(c->own_uts, CLONE_NEWUTS) != 0
      || setns(c->own_ipc, CLONE_NEWIPC) != 0)
    _exit(1);
  if (!error && q->text[0]
      && mount("shm", q->text, "tmpfs", MS_NOSUID | MS_NODEV, "mode=1777")
             != 0) {
    error = errno;
    step = "mounting /dev/shm";
  }
  send_answer(error, step, made, 3);
  for (int i = 0; i < 3; ++i)
    if (made[i] >= 0)
      close(made[i]);
}

static int mount_memory(const struct holder_request *q) {
  char options[64];
  int n = snprintf(options, sizeof options, "mode=1777");
  if (q->size > 0)
    snprintf(options + n, sizeof options - (size_t)n, ",size=%lld",
             (long long)q->size);
  return mount("volume", q->text, "tmpfs", MS_NOSUID | MS_NODEV, options) == 0
             ? 0
             : errno;
}

static void make_socket_and_answer(const struct holder_request *q) {
  int fd = socket(AF_INET, q->socket_type | SOCK_CLOEXEC, 0);
  send_answer(fd < 0 ? errno : 0, "making a socket", &fd, 1);
  if (fd >= 0)
    close(fd);
}

static void answer_request(const struct cluster *c,
                           const struct holder_request *q) {
  const char *step = "";
  int error = 0;
  switch (q->what) {
  case HOLDER_MAKE_POD:
    make_pod_and_answer(c, q);
    return;
  case HOLDER_MAKE_SOCKET:
    make_socket_and_answer(q);
    return;
  case HOLDER_REMOVE_POD:
    step = "unmounting what is in memory";
    if (umount2(q->text, MNT_DETACH) != 0)
      error = errno;
    break;
  case HOLDER_MOUNT_MEMORY:
    step = "mounting a volume in memory";
    error = mount_memory(q);
    break;
  case HOLDER_ADD_TO_BRIDGE:
    error = add_to_bridge(c->netlink, q->text, &step);
    break;
  default:
    error = EINVAL;
  }
  send_answer(error, step, NULL, 0);
}

int main(int argc, char **argv) {
  struct cluster c;
  struct holder_request q;
  const char *step = "";
  int error, cluster[3];
  if (argc < 3 || inet_pton(AF_INET, argv[1], &c.address) != 1
      || inet_pton(AF_INET, argv[2], &c.gateway) != 1)
    return 2;
  for (int s = 1; s < NSIG; ++s) /* Ctrl-C is the node's. */
    if (s != SIGCHLD)
      signal(s, SIG_IGN);
  fcntl(HOLDER_FD, F_SETFD, FD_CLOEXEC);
  error = start_cluster(&c, &step);
  cluster[0] = c.user;
  cluster[1] = c.mounts;
  cluster[2] = c.network;
  send_answer(error, step, cluster, 3);
  if (error)
    return 1;
  while (recv(HOLDER_FD, &q, sizeof q, 0) == (ssize_t)sizeof q) {
    q.hostname[sizeof q.hostname - 1] = '\0';
    q.text[sizeof q.text - 1] = '\0';
    answer_request(&c, &q);
  }
  return 0;
}
