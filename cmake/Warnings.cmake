# Warnings are errors; the sanitizers, where asked for, go with every object.
add_library(scant_warnings INTERFACE)
target_compile_options(
  scant_warnings
  INTERFACE -Wall -Wextra -Wconversion -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla
            -Wpointer-arith -Wno-psabi -Werror -fno-math-errno
            # clang tells of loops its sanitizers keep it from vectorising
            $<$<C_COMPILER_ID:Clang>:-Wno-pass-failed>)
# What is installed is hardened: a guard before return addresses, checked copies, and no table of functions that can be
# written to. Sanitizers look at more, and a build without optimisation checks no copies.
if(NOT SCANT_SANITIZE AND NOT CMAKE_BUILD_TYPE STREQUAL "Debug")
  target_compile_options(scant_warnings INTERFACE -fstack-protector-strong -U_FORTIFY_SOURCE
                                                  -D_FORTIFY_SOURCE=2)
  add_link_options(-Wl,-z,relro -Wl,-z,now)
endif()
if(SCANT_SANITIZE)
  target_compile_options(scant_warnings INTERFACE -fsanitize=${SCANT_SANITIZE}
                                                  -fno-omit-frame-pointer -g1)
  target_link_options(scant_warnings INTERFACE -fsanitize=${SCANT_SANITIZE})
  add_link_options(-fsanitize=${SCANT_SANITIZE})
endif()
