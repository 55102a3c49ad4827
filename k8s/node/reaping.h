/* For programs of ours that are a subreaper (prctl). */
#ifndef TROUPE_REAPING_H
#define TROUPE_REAPING_H

/* Kills all children. What a killed process leaves becomes ours, and so on
 * until there is nothing. */
void leave_nothing(void);

/* For a child that is about to become another program: a session of its own,
 * the signals as they were at birth, and no life after its parent. */
void start_afresh(void);

#endif
