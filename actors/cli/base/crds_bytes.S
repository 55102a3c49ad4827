/* The custom resource definitions as bytes inside the program, so that the
 * program stays one file. TROUPE_CRDS_FILE is set by the build. */
  .section .rodata
  .global troupe_crds_begin
  .global troupe_crds_end
troupe_crds_begin:
  .incbin TROUPE_CRDS_FILE
troupe_crds_end:
  .byte 0
  .section .note.GNU-stack,"",@progbits
