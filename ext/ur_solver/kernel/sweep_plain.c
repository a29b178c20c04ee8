/* The sweep in plain C, for processors that the others do not serve. */

#include <math.h>
#include <string.h>

#include "double.h"

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
#include "double_body.h"

const Sweeper sweeper_plain = UR_SWEEPER("plain", NULL);
