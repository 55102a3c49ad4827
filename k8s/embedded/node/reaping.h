/* For programs of ours that are a subreaper (prctl). */
#ifndef TROUPE_REAPING_H
#define TROUPE_REAPING_H

/* Kills all children. What a killed process leaves becomes ours, and so on
 * until there is nothing. */
void leave_nothing(void);

#endif
