# The kernels: every file of src/*/kernels is compiled once for each target, an instruction set, and the library chooses
# among them when it runs (src/math/kernels.h, src/math/kernels.c). So these flags are the same for all compilers and with
# sanitizers, too. What they ask for, src/math/kernels.c asks the processor for.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$")
  set(SCANT_TARGETS avx512 avx2 sse2)
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64)$")
  set(SCANT_TARGETS neon)
else()
  set(SCANT_TARGETS plain)
endif()
set(SCANT_FLAGS_avx2 -mavx2 -mfma)
set(SCANT_FLAGS_avx512 ${SCANT_FLAGS_avx2} -mavx512f -mavx512cd -mavx512bw -mavx512dq -mavx512vl
                       -mprefer-vector-width=512)

file(GLOB SCANT_KERNEL_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/*/kernels/*.c)
add_library(scant_kernels STATIC)
foreach(target ${SCANT_TARGETS})
  add_library(scant_kernels_${target} OBJECT ${SCANT_KERNEL_SOURCES})
  target_include_directories(scant_kernels_${target} PRIVATE ${PROJECT_SOURCE_DIR}/include
                                                             ${PROJECT_SOURCE_DIR}/src)
  target_compile_definitions(scant_kernels_${target} PRIVATE SCANT_BUILDING SCANT_I_TARGET=${target})
  target_compile_options(scant_kernels_${target} PRIVATE -fopenmp-simd ${SCANT_FLAGS_${target}})
  target_link_libraries(scant_kernels_${target} PRIVATE scant_warnings)
  target_sources(scant_kernels PRIVATE $<TARGET_OBJECTS:scant_kernels_${target}>)
endforeach()
set_target_properties(scant_kernels PROPERTIES LINKER_LANGUAGE C)
target_link_libraries(scant_kernels PUBLIC m)
# Whoever links the library's objects links these.
target_link_libraries(scant_dependencies INTERFACE $<BUILD_INTERFACE:scant_kernels>)

# -DSCANT_KERNELS=avx2: as on a machine that has no more.
function(scant_limit_kernels target)
  if(SCANT_KERNELS)
    target_compile_definitions(${target} PUBLIC SCANT_KERNELS_MOST="${SCANT_KERNELS}")
  endif()
endfunction()
