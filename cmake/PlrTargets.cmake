# Functions that define the targets of the project: plr_library, plr_test.

# Compiler flags of this project; projects that link its libraries do not inherit them.
function(plr_own_flags target)
  target_compile_features(${target} PUBLIC cxx_std_20)
  set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF CXX_VISIBILITY_PRESET hidden
                                             VISIBILITY_INLINES_HIDDEN ON)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow)
  string(COMPARE EQUAL "${CMAKE_CXX_COMPILER_ID}" GNU is_gnu)
  if(is_gnu)
    # At -O3, g++ 12 and 14 report these falsely where they inline std::string and std::vector.
    target_compile_options(${target} PRIVATE
      "$<$<CONFIG:Release>:-Wno-array-bounds;-Wno-restrict;-Wno-stringop-overflow;-Wno-stringop-overread>")
  endif()
  # A fused multiply-add rounds once instead of twice. Without it every processor computes the same
  # bits; on ARM, compilers fuse by default.
  target_compile_options(${target} PRIVATE -ffp-contract=off)
  if(PLR_WARNINGS_AS_ERRORS AND NOT (is_gnu AND CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 17))
    target_compile_options(${target} PRIVATE -Werror)
  endif()
  if(PLR_SANITIZE)
    target_compile_options(${target} PRIVATE -fsanitize=${PLR_SANITIZE} -fno-sanitize-recover=all
                                             -fno-omit-frame-pointer)
    target_link_options(${target} PUBLIC -fsanitize=${PLR_SANITIZE})
  endif()
endfunction()

# plr_library(core SOURCES ... LINKS ...) defines plr::core, a static library. It is installed with
# its headers unless it is INTERNAL; test helpers (*_testing.h) are never installed.
function(plr_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "INTERNAL" "" "SOURCES;LINKS")
  add_library(plr_${name} STATIC ${arg_SOURCES})
  add_library(plr::${name} ALIAS plr_${name})
  plr_own_flags(plr_${name})
  set_target_properties(plr_${name} PROPERTIES EXPORT_NAME ${name} POSITION_INDEPENDENT_CODE ON)
  target_include_directories(plr_${name} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src>
                                                $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_link_libraries(plr_${name} PUBLIC ${arg_LINKS})
  if(NOT arg_INTERNAL)
    install(TARGETS plr_${name} EXPORT plrTargets)
    set_property(GLOBAL APPEND PROPERTY PLR_INSTALLED plr_${name})
    install(DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/plr
            FILES_MATCHING PATTERN "*.h" PATTERN "*_testing.h" EXCLUDE)
  endif()
endfunction()

# Installs what find_package(plr) needs. Called after all libraries are defined.
function(plr_install_package)
  include(CMakePackageConfigHelpers)
  set(folder ${CMAKE_INSTALL_LIBDIR}/cmake/plr)
  configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/plrConfig.cmake.in plrConfig.cmake
                                INSTALL_DESTINATION ${folder})
  write_basic_package_version_file(plrConfigVersion.cmake COMPATIBILITY SameMinorVersion)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/plrConfig.cmake
                ${CMAKE_CURRENT_BINARY_DIR}/plrConfigVersion.cmake DESTINATION ${folder})
  install(EXPORT plrTargets NAMESPACE plr:: DESTINATION ${folder})
endfunction()

# plr_test(core SOURCES ... LINKS ...) defines the binary core_test and one ctest entry per TEST.
function(plr_test name)
  if(NOT PLR_BUILD_TESTS)
    return()
  endif()
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LINKS")
  add_executable(${name}_test ${arg_SOURCES})
  plr_own_flags(${name}_test)
  target_link_libraries(${name}_test PRIVATE ${arg_LINKS} plr_test_support GTest::gtest_main)
  plr_precompile(${name}_test tests)
  gtest_discover_tests(${name}_test DISCOVERY_TIMEOUT 60
                       PROPERTIES ENVIRONMENT "PLR_PROCGEN=${PLR_PROCGEN}")
endfunction()
