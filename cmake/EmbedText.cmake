# Writes a C++ source that contains text files: cmake -DOUT=... -DHEADER=... -DFILES=name=path|... -P
#
# Each file becomes the std::string_view constant NAME of namespace plr, declared in HEADER.
string(REPLACE "|" ";" files "${FILES}")
set(source "#include \"${HEADER}\"\n\nnamespace plr {\n")
foreach(file ${files})
  string(REGEX MATCH "^([^=]+)=(.+)$" unused "${file}")
  set(name ${CMAKE_MATCH_1})
  file(READ "${CMAKE_MATCH_2}" text)
  string(APPEND source "\nconst std::string_view ${name} = R\"embedded(${text})embedded\";\n")
endforeach()
string(APPEND source "\n}  // namespace plr\n")
file(WRITE "${OUT}" "${source}")
