/* Small files inside the program, so that the program stays one file. The build
 * sets the names of the files. */
  .section .rodata
  .macro embed name, file
  .global troupe_\name\()_begin
  .global troupe_\name\()_end
  .balign 16
troupe_\name\()_begin:
  .incbin "\file"
troupe_\name\()_end:
  .byte 0
  .endm
  embed preload, TROUPE_PRELOAD_FILE
  embed reaper, TROUPE_REAPER_FILE
  embed namespace_holder, TROUPE_NAMESPACES_FILE
  embed exec_only_kubectl, TROUPE_KUBECTL_FILE
  embed deliver_kubectl_script, TROUPE_DELIVERY_FILE
  embed nslookup, TROUPE_NSLOOKUP_FILE
  .section .note.GNU-stack,"",@progbits
