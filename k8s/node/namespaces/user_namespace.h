#ifndef TROUPE_USER_NAMESPACE_H
#define TROUPE_USER_NAMESPACE_H

/* Enters a new user namespace in which users have the same numbers as outside:
 * all users if root calls it, otherwise the caller alone. Returns 0 or an
 * errno; `step` says what was tried last. */
int enter_new_user_namespace(const char **step);

/* Drops, for this program and all that it starts, the capabilities that
 * containers do not have by default, such as those to mount and to change
 * networks. */
void keep_only_container_capabilities(void);

#endif
