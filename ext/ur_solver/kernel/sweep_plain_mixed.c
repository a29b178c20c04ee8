/* The sweep in plain C of numbers that are floats in memory. */

#include "sweep.h"

#include "mixed.h"
#include "plain_body.h"

const Sweeps plain_sweeps_of_floats = UR_SWEEPS;
const Checks plain_checks_of_floats = UR_CHECKS;
