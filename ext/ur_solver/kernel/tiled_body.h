/* The tiled kernel by one instruction set with one sort of numbers, handed out in a record. */

#include "sweep.h"

#include "sweep_body.h"
#if UR_FLOAT_SUMS
#include "eliminate_body.h"
#else
#include "checks_body.h"
#endif

#if UR_FLOAT_SUMS
const Sweeps UR_NAMED(tiled_single) = {
#elif UR_FLOATS
const Sweeps UR_NAMED(tiled_mixed) = {
#else
const Sweeps UR_NAMED(tiled_double) = {
#endif
    .sweep = sweep,
    .remember = remember,
    .extrapolate = extrapolate,
#if UR_FLOAT_SUMS
    .eliminate = eliminate,
#else
    .residual = residual,
    .write_g = write_g,
    .narrow = narrow,
    .widen = widen,
    .write_g_of_bounds = write_g_of_bounds,
#endif
};
