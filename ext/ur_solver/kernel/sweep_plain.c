/* The sweep in plain C. */

#include "sweep.h"

#define UR_FLOATS 0
#define UR_FLOAT_SUMS 0
#include "numbers.h"
#include "plain_body.h"

static const Sweeps in_doubles = UR_SWEEPS;
static const Checks of_doubles = UR_CHECKS;

const Sweeper sweeper_plain = {
    .name = "plain",
    .has_lanes = UR_LANE,
    .sweeps = {&in_doubles, &plain_sweeps_mixed, &plain_sweeps_mixed},
    .checks = {&of_doubles, &plain_checks_of_floats},
};
