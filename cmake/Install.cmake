# What `make install` and the Debian package put where, and how other projects find the library:
# pkg-config's scant.pc, and CMake's find_package(scant) with the target scant::scant.
include(CMakePackageConfigHelpers)

# The program finds its library in its own folder where it was built, in the library's folder once installed. The first
# path is made as long as the second, which is written over it.
file(RELATIVE_PATH SCANT_TO_LIB /${CMAKE_INSTALL_BINDIR} /${CMAKE_INSTALL_LIBDIR})
set(SCANT_INSTALLED_RPATH "$ORIGIN/${SCANT_TO_LIB}")
set(SCANT_BUILT_RPATH "$ORIGIN")
string(LENGTH "${SCANT_INSTALLED_RPATH}" SCANT_RPATH_LENGTH)
string(LENGTH "${SCANT_BUILT_RPATH}" SCANT_BUILT_LENGTH)
while(SCANT_BUILT_LENGTH LESS SCANT_RPATH_LENGTH)
  string(APPEND SCANT_BUILT_RPATH "/.")
  string(LENGTH "${SCANT_BUILT_RPATH}" SCANT_BUILT_LENGTH)
endwhile()
set_target_properties(scant_program PROPERTIES INSTALL_RPATH
                                               "${SCANT_BUILT_RPATH};${CMAKE_INSTALL_RPATH}")

install(TARGETS scant_program RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(CODE "file(RPATH_CHANGE FILE \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_BINDIR}/scant\"
                   OLD_RPATH [[${SCANT_BUILT_RPATH}]] NEW_RPATH [[${SCANT_INSTALLED_RPATH}]])")
install(TARGETS scant EXPORT scant LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY include/scant DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY schemas DESTINATION ${CMAKE_INSTALL_DATADIR}/scant)

set(SCANT_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/scant)
write_basic_package_version_file(scant-config-version.cmake COMPATIBILITY SameMinorVersion)
install(EXPORT scant NAMESPACE scant:: DESTINATION ${SCANT_CMAKE_DIR} FILE scant-config.cmake)
install(FILES ${PROJECT_BINARY_DIR}/scant-config-version.cmake DESTINATION ${SCANT_CMAKE_DIR})

# Found from its own place, so that what is installed may be moved as a whole.
file(RELATIVE_PATH SCANT_PC_UP /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" SCANT_PC_UP ${SCANT_PC_UP})
configure_file(cmake/scant.pc.in scant.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/scant.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# Manual pages and completion are written by the program, from its tables of options.
install(CODE "
  set(program \"$<TARGET_FILE:scant_program>\")
  execute_process(COMMAND \"${PROJECT_SOURCE_DIR}/tools/make_man\" \${program} \"${PROJECT_BINARY_DIR}/man\"
                  COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND \${program} completion bash OUTPUT_FILE \"${PROJECT_BINARY_DIR}/completion/scant\"
                  COMMAND_ERROR_IS_FATAL ANY)")
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/man ${PROJECT_BINARY_DIR}/completion)
install(DIRECTORY ${PROJECT_BINARY_DIR}/man/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(DIRECTORY ${PROJECT_BINARY_DIR}/completion/
        DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)

# cpack --config build/CPackConfig.cmake makes the Debian package.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_CONTACT "The scant authors")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS libopenblas0)
set(CPACK_DEBIAN_PACKAGE_SUGGESTS gnuplot-nox) # draws the pictures of reports
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
include(CPack)
