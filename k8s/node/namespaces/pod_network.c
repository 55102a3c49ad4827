#define _GNU_SOURCE
#include "pod_network.h"

#include "netlink_message.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_link.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/veth.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

enum { CREATE = NLM_F_CREATE | NLM_F_EXCL };

int open_netlink_socket(void) {
  return socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
}

/* The index of an interface in the socket's own namespace; if_nametoindex asks
 * in the caller's. */
static int index_of(int netlink, const char *name) {
  struct ifreq request;
  memset(&request, 0, sizeof request);
  snprintf(request.ifr_name, sizeof request.ifr_name, "%s", name);
  return ioctl(netlink, SIOCGIFINDEX, &request) == 0 ? request.ifr_ifindex : 0;
}

/* A hardware address for this IPv4 address: so a pod that gets the address of
 * another is not looked for where that was. */
static void make_hardware_address(uint32_t address, unsigned char out[6]) {
  out[0] = 0x02; /* Locally administered. */
  out[1] = 0x54;
  memcpy(out + 2, &address, sizeof address);
}

static int bring_up_and_set_master(int netlink, int index, int master) {
  struct netlink_message m;
  struct ifinfomsg link = {.ifi_index = index,
                           .ifi_flags = IFF_UP,
                           .ifi_change = IFF_UP};
  netlink_begin(&m, RTM_NEWLINK, 0, &link, sizeof link);
  if (master)
    netlink_add_u32(&m, IFLA_MASTER, (uint32_t)master);
  return netlink_call(netlink, &m);
}

static int add_address(int netlink, int index, uint32_t address) {
  struct netlink_message m;
  struct ifaddrmsg body = {.ifa_family = AF_INET,
                           .ifa_prefixlen = POD_NETWORK_PREFIX,
                           .ifa_index = (unsigned)index};
  uint32_t broadcast = address | htonl((1u << (32 - POD_NETWORK_PREFIX)) - 1);
  netlink_begin(&m, RTM_NEWADDR, CREATE, &body, sizeof body);
  netlink_add_u32(&m, IFA_LOCAL, address);
  netlink_add_u32(&m, IFA_ADDRESS, address);
  netlink_add_u32(&m, IFA_BROADCAST, broadcast);
  return netlink_call(netlink, &m);
}

static int add_default_route(int netlink, uint32_t gateway) {
  struct netlink_message m;
  struct rtmsg body = {.rtm_family = AF_INET,
                       .rtm_table = RT_TABLE_MAIN,
                       .rtm_protocol = RTPROT_BOOT,
                       .rtm_scope = RT_SCOPE_UNIVERSE,
                       .rtm_type = RTN_UNICAST};
  netlink_begin(&m, RTM_NEWROUTE, CREATE, &body, sizeof body);
  netlink_add_u32(&m, RTA_GATEWAY, gateway);
  return netlink_call(netlink, &m);
}

int bring_loopback_up(int netlink, const char **step) {
  *step = "bringing the loopback interface up";
  return bring_up_and_set_master(netlink, index_of(netlink, "lo"), 0);
}

/* The bridge would take the lowest hardware address of its interfaces, and so
 * change it with each pod. */
int make_bridge(int netlink, uint32_t address, const char **step) {
  struct netlink_message m;
  struct ifinfomsg link = {.ifi_change = 0};
  unsigned char hardware[6];
  int error, index;
  size_t info;
  make_hardware_address(address, hardware);
  netlink_begin(&m, RTM_NEWLINK, CREATE, &link, sizeof link);
  netlink_add_text(&m, IFLA_IFNAME, POD_NETWORK_BRIDGE);
  netlink_add(&m, IFLA_ADDRESS, hardware, sizeof hardware);
  info = netlink_begin_nested(&m, IFLA_LINKINFO);
  netlink_add_text(&m, IFLA_INFO_KIND, "bridge");
  netlink_end_nested(&m, info);
  *step = "making a bridge";
  if ((error = netlink_call(netlink, &m)))
    return error;
  index = index_of(netlink, POD_NETWORK_BRIDGE);
  *step = "giving the bridge an address";
  if ((error = add_address(netlink, index, address)))
    return error;
  *step = "bringing the bridge up";
  return bring_up_and_set_master(netlink, index, 0);
}

int add_to_bridge(int netlink, const char *interface, const char **step) {
  int index = index_of(netlink, interface);
  *step = "putting an interface on the bridge";
  return index == 0
             ? ENODEV
             : bring_up_and_set_master(netlink, index,
                                       index_of(netlink, POD_NETWORK_BRIDGE));
}

/* Makes `name` on the bridge, with its other end in the pod's namespace. */
static int make_pair(int netlink, int pod_namespace, const char *name,
                     uint32_t address) {
  struct netlink_message m;
  struct ifinfomsg link = {.ifi_flags = IFF_UP, .ifi_change = IFF_UP};
  struct ifinfomsg peer_link = {.ifi_change = 0};
  unsigned char hardware[6];
  size_t info, data, peer;
  make_hardware_address(address, hardware);
  netlink_begin(&m, RTM_NEWLINK, CREATE, &link, sizeof link);
  netlink_add_text(&m, IFLA_IFNAME, name);
  netlink_add_u32(&m, IFLA_MASTER,
                  (uint32_t)index_of(netlink, POD_NETWORK_BRIDGE));
  info = netlink_begin_nested(&m, IFLA_LINKINFO);
  netlink_add_text(&m, IFLA_INFO_KIND, "veth");
  data = netlink_begin_nested(&m, IFLA_INFO_DATA);
  peer = netlink_begin_nested(&m, VETH_INFO_PEER);
  netlink_add_bare(&m, &peer_link, sizeof peer_link);
  netlink_add_text(&m, IFLA_IFNAME, POD_NETWORK_INTERFACE);
  netlink_add(&m, IFLA_ADDRESS, hardware, sizeof hardware);
  netlink_add_u32(&m, IFLA_NET_NS_FD, (uint32_t)pod_namespace);
  netlink_end_nested(&m, peer);
  netlink_end_nested(&m, data);
  netlink_end_nested(&m, info);
  return netlink_call(netlink, &m);
}

int add_pod_interface(int netlink, int pod_netlink, int pod_namespace,
                      uint32_t address, uint32_t gateway, const char **step) {
  char name[IF_NAMESIZE];
  int error, index;
  snprintf(name, sizeof name, "pod%x", ntohl(address));
  *step = "making a pair of interfaces";
  if ((error = make_pair(netlink, pod_namespace, name, address)))
    return error;
  index = index_of(pod_netlink, POD_NETWORK_INTERFACE);
  *step = "giving the pod's interface its address";
  if ((error = add_address(pod_netlink, index, address)))
    return error;
  *step = "bringing the pod's interface up";
  if ((error = bring_up_and_set_master(pod_netlink, index, 0)))
    return error;
  *step = "giving the pod a default route";
  return add_default_route(pod_netlink, gateway);
}
