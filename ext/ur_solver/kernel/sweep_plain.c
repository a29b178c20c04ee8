/* The sweep in plain C. */

#include "sweep.h"

#include "double.h"
#include "plain_body.h"

static const Sweeps in_doubles = UR_SWEEPS;
static const Checks of_doubles = UR_CHECKS;

const Sweeper sweeper_plain = {
    .name = "plain",
    .has_lanes = UR_LANE,
    .sweeps = {&in_doubles, &plain_sweeps_of_floats},
    .checks = {&of_doubles, &plain_checks_of_floats},
};
