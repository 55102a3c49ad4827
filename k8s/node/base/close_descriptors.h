/* For a child before exec. Plain C: programs of the node include it. */
#ifndef TROUPE_CLOSE_DESCRIPTORS_H
#define TROUPE_CLOSE_DESCRIPTORS_H

#ifdef __cplusplus
extern "C" {
#endif

/* Closes all descriptors from `first` on. */
void close_descriptors_from(int first);

/* The same, as kernels before 5.9 need it. */
void close_descriptors_one_by_one(int first);

#ifdef __cplusplus
}
#endif

#endif
