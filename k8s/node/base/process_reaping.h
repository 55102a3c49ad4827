/* For programs of ours that are a subreaper (prctl). */
#ifndef TROUPE_PROCESS_REAPING_H
#define TROUPE_PROCESS_REAPING_H

/* Kills all children, and waits for them. The children of a killed process
 * become ours and are killed, too, until there are none. */
void kill_descendants(void);

/* For a child before exec: a session of its own, signals as by default, and
 * SIGKILL when its parent ends. */
void prepare_child_for_exec(void);

/* Puts /dev/null in their place: readers and writers of the other ends wait
 * until no program has these streams. */
void redirect_standard_streams_to_null(void);

#endif
