/* The files of the admin page as bytes inside the program, so that the program
 * stays one file. */
  .macro embed name, file
  .global troupe_page_\name\()_begin
  .global troupe_page_\name\()_end
troupe_page_\name\()_begin:
  .incbin "\file"
troupe_page_\name\()_end:
  .byte 0
  .endm
  .section .rodata
  embed index, "index.html"
  embed style, "page.css"
  embed script, "page.js"
  embed icon, "icon.svg"
  .section .note.GNU-stack,"",@progbits
