#ifndef TROUPE_USER_NAMESPACE_H
#define TROUPE_USER_NAMESPACE_H

/* Goes into a new user namespace in which users have the numbers that they
 * have outside: root all of them, others their own only. 0, or an errno;
 * `step` says what was tried last. */
int enter_new_user_namespace(const char **step);

/* Gives up, for this program and all that it starts, the rights that
 * containers do not have by default, those to mount and to change networks
 * among them. */
void drop_container_capabilities(void);

#endif
