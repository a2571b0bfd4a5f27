# Builds the project in this folder against ours and runs it.
#   cmake -DHOW=install|subdirectory -DSOURCE=... -DBUILD=... -DWORK=... -P run.cmake
function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(status)
    string(REPLACE ";" " " command "${ARGN}")
    message(FATAL_ERROR "${command}\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

file(REMOVE_RECURSE ${WORK})
if(HOW STREQUAL "install")
  run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/prefix)
  set(options -DCMAKE_PREFIX_PATH=${WORK}/prefix)
else()
  set(options -DPLR_SOURCE=${SOURCE})
endif()
run(${CMAKE_COMMAND} -G Ninja -S ${CMAKE_CURRENT_LIST_DIR} -B ${WORK}/build ${options})
run(${CMAKE_COMMAND} --build ${WORK}/build --target consumer)
run(${WORK}/build/consumer)

# 200 lines of "level probability", whose sum is 1.
string(REGEX MATCHALL "[0-9]+ [0-9.e-]+" lines "${output}")
list(LENGTH lines count)
if(NOT count EQUAL 200)
  message(FATAL_ERROR "expected the weights of 200 levels, got ${count}:\n${output}")
endif()

# The README shows this very program.
file(READ ${CMAKE_CURRENT_LIST_DIR}/main.cc program)
file(READ ${SOURCE}/README.md readme)
string(FIND "${readme}" "${program}" position)
if(position EQUAL -1)
  message(FATAL_ERROR "the program in README.md is not tests/consumer/main.cc any more")
endif()
