# cmake -DOUT=FILE -DFILES="a;b" -P join_files.cmake
# Writes the files one after the other, each behind a line "#file NAME".
set(all "")
foreach(file ${FILES})
  get_filename_component(name "${file}" NAME)
  file(READ "${file}" text)
  string(APPEND all "#file ${name}\n${text}\n")
endforeach()
file(WRITE "${OUT}" "${all}")
