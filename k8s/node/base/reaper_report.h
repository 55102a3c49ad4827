/* The reports of the reaper to the node. Plain C: both include it. */
#ifndef TROUPE_REAPER_REPORT_H
#define TROUPE_REAPER_REPORT_H

enum {
  REAPER_FD = 3,

  REAPER_NO_PROCESS = 1,   /* value: errno of fork */
  REAPER_NO_DIRECTORY = 2, /* value: errno of chdir */
  REAPER_NO_PROGRAM = 3,   /* value: errno of exec */
  REAPER_RUNS = 4,         /* value: the program's pid */
  REAPER_ENDED = 5,        /* value: the program's wait status */
  REAPER_NO_NAMESPACES = 6 /* value: errno; then, to the end, what failed */
};

struct reaper_report {
  int what;
  int value;
};

#endif
