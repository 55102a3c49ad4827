/* The files of the admin page as bytes inside the program, so that the program
 * stays one file. TROUPE_PAGE_FILE is set by the build. */
  .section .rodata
  .global troupe_page_begin
  .global troupe_page_end
troupe_page_begin:
  .incbin TROUPE_PAGE_FILE
troupe_page_end:
  .byte 0
  .section .note.GNU-stack,"",@progbits
