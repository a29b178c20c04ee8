/* The sweep and the checks in plain C, for processors that the others do not serve. A file that
   includes this one has chosen the precision before. */

#include <math.h>
#include <string.h>

#define WIDTH 4
#define X(name) name##4
#include "vectors_plain.h"
#undef X
#undef WIDTH
#define WIDTH 8
#define X(name) name##8
#include "vectors_plain.h"
#undef X
#undef WIDTH

#define UR_LANE 0
#include "checks_body.h"
#include "sweep_body.h"
