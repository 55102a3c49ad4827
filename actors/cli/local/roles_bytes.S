/* The operator's account and roles, and those of people, as bytes inside the
 * program. TROUPE_ROLES_FILE is set by the build. */
  .section .rodata
  .global troupe_roles_begin
  .global troupe_roles_end
troupe_roles_begin:
  .incbin TROUPE_ROLES_FILE
troupe_roles_end:
  .byte 0
  .section .note.GNU-stack,"",@progbits
