/* Read before each test_<unit>.c (see tests/CMakeLists.txt): the `main` of a unit is a function that the
 * layer's program calls, since one program a layer is linked much faster than one a unit. */
#ifndef SCANT_T_UNIT_H
#define SCANT_T_UNIT_H

#define main SCANT_T_UNIT
int main(void);

#endif
