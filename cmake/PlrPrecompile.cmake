# Precompiled headers. Each is compiled once, by an object library of its own, for all targets that
# use it; these have the same flags.
#
#   torch         libtorch's tensor header, which takes 8 s, for libraries
#   torch_tests   the same and GoogleTest's, for tests
#   tests         GoogleTest's, for tests without libtorch
#
# plr_precompile(target name): the files of a target use a precompiled header; a second call replaces
# the first.
function(plr_precompile target name)
  set(owner plr_precompiled_${name})
  if(NOT TARGET ${owner})
    set(torch_headers <ATen/ATen.h>)
    set(torch_libraries Libtorch::Libtorch)
    set(tests_headers <gtest/gtest.h>)
    set(tests_libraries GTest::gtest)
    set(torch_tests_headers ${torch_headers} ${tests_headers})
    set(torch_tests_libraries ${torch_libraries} ${tests_libraries})
    file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/precompiled/${name}.cc CONTENT "")
    add_library(${owner} OBJECT ${PROJECT_BINARY_DIR}/precompiled/${name}.cc)
    plr_own_flags(${owner})
    target_link_libraries(${owner} PRIVATE ${${name}_libraries})
    target_precompile_headers(${owner} PRIVATE ${${name}_headers})
    get_target_property(is_pic ${target} POSITION_INDEPENDENT_CODE)
    if(is_pic)
      set_target_properties(${owner} PROPERTIES POSITION_INDEPENDENT_CODE ON)
    endif()
  endif()
  target_precompile_headers(${target} REUSE_FROM ${owner})
endfunction()
