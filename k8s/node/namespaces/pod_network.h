/* The network of a cluster: a bridge, and for each pod a pair of interfaces,
 * one of them on the bridge and the other in the pod's network namespace.
 * Addresses are IPv4 in network order; results are 0 or an errno, and `step`
 * says what was tried last. */
#ifndef TROUPE_POD_NETWORK_H
#define TROUPE_POD_NETWORK_H

#include <stdint.h>

#define POD_NETWORK_BRIDGE "troupe0"
#define POD_NETWORK_INTERFACE "eth0"
#define POD_NETWORK_PREFIX 16 /* Bits. */

/* A socket for rtnetlink in the current network namespace, or -1. */
int open_netlink_socket(void);

/* Brings the loopback interface up. */
int bring_loopback_up(int netlink, const char **step);

/* Makes the bridge, with this address. */
int make_bridge(int netlink, uint32_t address, const char **step);

/* Puts an existing interface on the bridge and brings it up. */
int add_to_bridge(int netlink, const char *interface, const char **step);

/* Makes the pod's pair of interfaces, its address and its default route.
 * `netlink` is of the bridge's namespace, `pod_netlink` of the pod's, whose
 * descriptor is `pod_namespace`. */
int add_pod_interface(int netlink, int pod_netlink, int pod_namespace,
                      uint32_t address, uint32_t gateway, const char **step);

#endif
