/* The network interfaces of a pod: `lo`, and `eth0` with the pod's address, so
 * that programs which look for an address to announce find that one. */
#include "preload.h"

#include <arpa/inet.h>
#include <errno.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <net/if_arp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

enum { LO = 1, ETH0 = 2, COUNT = 2 }; /* Indexes, as the kernel counts. */

static const char *const names[] = {"", "lo", "eth0"};
static const unsigned flags[] = {
    0, IFF_UP | IFF_RUNNING | IFF_LOOPBACK,
    IFF_UP | IFF_RUNNING | IFF_BROADCAST | IFF_MULTICAST};

enum { MTU = 65536 };

static void set_address(struct sockaddr_in *out, struct in_addr address) {
  memset(out, 0, sizeof *out);
  out->sin_family = AF_INET;
  out->sin_addr = address;
}

static struct in_addr address_of(int index, struct in_addr pod) {
  struct in_addr lo = {htonl(INADDR_LOOPBACK)};
  return index == LO ? lo : pod;
}

/* All pods are in 127.0.0.0/8. */
static const struct in_addr *netmask(void) {
  static struct in_addr mask;
  mask.s_addr = htonl(IN_CLASSA_NET);
  return &mask;
}

/* -- getifaddrs ----------------------------------------------------------- */

struct interface_entry {
  struct ifaddrs entry;
  struct sockaddr_in address, mask, broadcast;
  char name[IFNAMSIZ];
};

EXPORT int getifaddrs(struct ifaddrs **out) {
  REAL(int, "getifaddrs", struct ifaddrs **)
  struct interface_entry *list;
  struct in_addr pod, broadcast = {htonl(0x7fffffff)};
  if (!pod_address(&pod))
    return real(out);
  /* One block: freeifaddrs frees the first entry. */
  if (!(list = calloc(COUNT, sizeof *list)))
    return -1;
  for (int i = 0; i < COUNT; ++i) {
    struct interface_entry *e = list + i;
    int index = i + 1;
    strcpy(e->name, names[index]);
    set_address(&e->address, address_of(index, pod));
    set_address(&e->mask, *netmask());
    e->entry.ifa_next = index < COUNT ? &e[1].entry : NULL;
    e->entry.ifa_name = e->name;
    e->entry.ifa_flags = flags[index];
    e->entry.ifa_addr = (struct sockaddr *)&e->address;
    e->entry.ifa_netmask = (struct sockaddr *)&e->mask;
    if (index != LO) {
      set_address(&e->broadcast, broadcast);
      e->entry.ifa_broadaddr = (struct sockaddr *)&e->broadcast;
    }
  }
  *out = &list->entry;
  return 0;
}

EXPORT unsigned if_nametoindex(const char *name) {
  REAL(unsigned, "if_nametoindex", const char *)
  struct in_addr pod;
  if (!pod_address(&pod))
    return real(name);
  for (int index = LO; index <= COUNT; ++index)
    if (strcmp(name, names[index]) == 0)
      return index;
  errno = ENODEV;
  return 0;
}

EXPORT char *if_indextoname(unsigned index, char name[IF_NAMESIZE]) {
  REAL(char *, "if_indextoname", unsigned, char *)
  struct in_addr pod;
  if (!pod_address(&pod))
    return real(index, name);
  if (index < LO || index > COUNT) {
    errno = ENXIO;
    return NULL;
  }
  return strcpy(name, names[index]);
}

/* -- ioctl ---------------------------------------------------------------- */

static int list_interfaces(struct ifconf *out, struct in_addr pod) {
  int room = out->ifc_len / (int)sizeof(struct ifreq);
  int count = !out->ifc_req || room > COUNT ? COUNT : room;
  for (int i = 0; out->ifc_req && i < count; ++i) {
    struct ifreq *r = out->ifc_req + i;
    memset(r, 0, sizeof *r);
    strcpy(r->ifr_name, names[i + 1]);
    set_address((struct sockaddr_in *)&r->ifr_addr, address_of(i + 1, pod));
  }
  out->ifc_len = count * (int)sizeof(struct ifreq);
  return 0;
}

static int describe_interface(unsigned long request, struct ifreq *r, int index,
                              struct in_addr pod) {
  struct sockaddr_in *address = (struct sockaddr_in *)&r->ifr_addr;
  switch (request) {
  case SIOCGIFADDR:
    set_address(address, address_of(index, pod));
    return 0;
  case SIOCGIFNETMASK:
    set_address(address, *netmask());
    return 0;
  case SIOCGIFFLAGS:
    r->ifr_flags = (short)flags[index];
    return 0;
  case SIOCGIFMTU:
    r->ifr_mtu = MTU;
    return 0;
  case SIOCGIFINDEX:
    r->ifr_ifindex = index;
    return 0;
  default: /* SIOCGIFHWADDR; of no manufacturer, and the pod's own. */
    memset(&r->ifr_hwaddr, 0, sizeof r->ifr_hwaddr);
    r->ifr_hwaddr.sa_family = index == LO ? ARPHRD_LOOPBACK : ARPHRD_ETHER;
    if (index != LO) {
      r->ifr_hwaddr.sa_data[0] = 0x02;
      memcpy(r->ifr_hwaddr.sa_data + 2, &pod, sizeof pod);
    }
    return 0;
  }
}

EXPORT int ioctl(int fd, unsigned long request, ...) {
  REAL(int, "ioctl", int, unsigned long, ...)
  struct in_addr pod;
  va_list rest;
  void *argument;
  va_start(rest, request);
  argument = va_arg(rest, void *);
  va_end(rest);
  switch (request) {
  case SIOCGIFCONF:
    if (argument && pod_address(&pod))
      return list_interfaces(argument, pod);
    break;
  case SIOCGIFADDR:
  case SIOCGIFNETMASK:
  case SIOCGIFFLAGS:
  case SIOCGIFMTU:
  case SIOCGIFINDEX:
  case SIOCGIFHWADDR:
    if (!argument || !pod_address(&pod))
      break;
    for (int index = LO; index <= COUNT; ++index)
      if (strncmp(((struct ifreq *)argument)->ifr_name, names[index], IFNAMSIZ)
          == 0)
        return describe_interface(request, argument, index, pod);
    errno = ENODEV;
    return -1;
  default:
    break;
  }
  return real(fd, request, argument);
}
