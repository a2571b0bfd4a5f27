# Writes a C++ source that embeds text files as constants:
#   cmake -DOUT=... -DHEADER=... -DNAMESPACE=... -DFILES=name=path|... -P EmbedText.cmake
#
# Each file becomes the std::string_view constant NAME of the namespace NAMESPACE, declared in HEADER.
string(REPLACE "|" ";" files "${FILES}")
set(source "#include \"${HEADER}\"\n\nnamespace ${NAMESPACE} {\n")
foreach(file ${files})
  string(REGEX MATCH "^([^=]+)=(.+)$" unused "${file}")
  set(name ${CMAKE_MATCH_1})
  file(READ "${CMAKE_MATCH_2}" text)
  string(APPEND source "\nconst std::string_view ${name} = R\"embedded(${text})embedded\";\n")
endforeach()
string(APPEND source "\n}  // namespace ${NAMESPACE}\n")
file(WRITE "${OUT}" "${source}")
