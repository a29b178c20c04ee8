/* The sweep and the checks in plain C with numbers that are floats in memory and doubles in
   arithmetic. */

#include "sweep.h"

#define UR_FLOATS 1
#define UR_FLOAT_SUMS 0
#include "numbers.h"
#include "plain_body.h"

const Sweeps plain_sweeps_mixed = UR_SWEEPS;
const Checks plain_checks_of_floats = UR_CHECKS;
