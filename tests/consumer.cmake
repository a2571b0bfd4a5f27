# Builds examples/sampler against an installed plr or its sources, runs it and checks its output.
#   cmake -DHOW=install|subdirectory -DSOURCE=... -DBUILD=... -DWORK=... -P consumer.cmake
function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(status)
    string(REPLACE ";" " " command "${ARGN}")
    message(FATAL_ERROR "${command}\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

set(example ${SOURCE}/examples/sampler)
file(REMOVE_RECURSE ${WORK})
if(HOW STREQUAL "install")
  run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/prefix)
  set(options -DCMAKE_PREFIX_PATH=${WORK}/prefix)
else()
  set(options -DPLR_SOURCE=${SOURCE})
endif()
run(${CMAKE_COMMAND} -G Ninja -S ${example} -B ${WORK}/build ${options})
run(${CMAKE_COMMAND} --build ${WORK}/build --target sampler)
run(${WORK}/build/sampler)

# 200 lines of "level probability".
string(REGEX MATCHALL "[0-9]+ [0-9.e-]+" lines "${output}")
list(LENGTH lines count)
if(NOT count EQUAL 200)
  message(FATAL_ERROR "expected the weights of 200 levels, got ${count}:\n${output}")
endif()

# README.md contains the program.
file(READ ${example}/main.cc program)
file(READ ${SOURCE}/README.md readme)
string(FIND "${readme}" "${program}" position)
if(position EQUAL -1)
  message(FATAL_ERROR "README.md does not contain examples/sampler/main.cc")
endif()
