/* Two small files inside the program, so that the program stays one file. The
 * build sets TROUPE_PRELOAD_FILE and TROUPE_REAPER_FILE. */
  .section .rodata
  .global troupe_preload_begin
  .global troupe_preload_end
  .global troupe_reaper_begin
  .global troupe_reaper_end
  .balign 16
troupe_preload_begin:
  .incbin TROUPE_PRELOAD_FILE
troupe_preload_end:
  .balign 16
troupe_reaper_begin:
  .incbin TROUPE_REAPER_FILE
troupe_reaper_end:
  .byte 0
  .section .note.GNU-stack,"",@progbits
