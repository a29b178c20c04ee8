/** A refusal: one sentence, and the place in the text that it is about. */
export class Refusal extends Error {
  /** @param {string} message @param {{line: number, column: number | null} | null} place */
  constructor(message, place = null) {
    super(message);
    this.place = place;
  }
}
