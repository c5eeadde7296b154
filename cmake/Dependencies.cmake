# Everything scant links, gathered in one interface target.
find_package(PkgConfig REQUIRED)
find_package(OpenMP REQUIRED COMPONENTS C)
find_package(ZLIB REQUIRED)
pkg_check_modules(JANSSON REQUIRED IMPORTED_TARGET jansson>=2.10)
find_path(RANDOM123_INCLUDE_DIR Random123/philox.h REQUIRED)
find_library(LAPACKE_LIBRARY lapacke REQUIRED)
find_library(LAPACK_LIBRARY lapack REQUIRED)
find_library(BLAS_LIBRARY blas REQUIRED)
find_library(LBFGSB_LIBRARY lbfgsb REQUIRED)

add_library(scant_dependencies INTERFACE)
target_include_directories(scant_dependencies SYSTEM INTERFACE ${RANDOM123_INCLUDE_DIR})
target_link_libraries(
  scant_dependencies INTERFACE OpenMP::OpenMP_C PkgConfig::JANSSON ZLIB::ZLIB ${LAPACKE_LIBRARY}
                               ${LAPACK_LIBRARY} ${BLAS_LIBRARY} ${LBFGSB_LIBRARY} m)
if(SCANT_HDF5)
  pkg_check_modules(HDF5 REQUIRED IMPORTED_TARGET hdf5)
  target_link_libraries(scant_dependencies INTERFACE PkgConfig::HDF5)
endif()
