// All that the engine answers, for `api.js`, which loads it while the first screen is shown.

export { diceAnswer } from "./dice.js";
export { NOTATIONS, auditAnswer, converted } from "./games.js";
export { exercisesAnswer, lineAnswer, openingAnswer } from "./line.js";
export { Moves } from "./moves.js";
export { Unfolded, boardAnswer } from "./position.js";
export { open } from "./values.js";
