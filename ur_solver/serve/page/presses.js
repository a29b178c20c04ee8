// A move chosen by pressing a piece, and the square where it goes if it may go to several.

/** The name of a place on the board for one of a move's ends. */
export function placed(name, side) {
  return name === "home" || name === "off" ? `${side} ${name}` : name;
}

/** A side's path with the places before and after it. */
export const wayOf = ({ paths }, side) => [`${side} home`, ...paths[side], `${side} off`];

/** The hands of a board on which moves are chosen. */
export class Presses {
  /**
   * @param {import("./board.js").Board} board @param {(move: any) => any} play
   * @param {{ask?: (moves: any[]) => void, explain?: (place: string) => void}} on what is done with
   *   moves between the same squares, which differ in something else, and with any other place
   */
  constructor(board, play, { ask = () => {}, explain = () => {} } = {}) {
    this.board = board;
    this.play = play;
    this.ask = ask;
    this.explain = explain;
    board.hands = this;
    this.offer([], "light");
  }

  /** Take presses for these moves of a side. */
  offer(moves, side) {
    this.moves = moves.map((move) => ({ move, from: placed(move.from, side), to: placed(move.to, side) }));
    this.mark(null);
  }

  mark(lifted) {
    this.lifted = lifted;
    if (!this.board.svg) return;
    const those = lifted ? this.moves.filter((each) => each.from === lifted) : this.moves;
    this.board.mark(new Set(those.map((each) => each.from)), new Set(those.map((each) => each.to)));
  }

  /** Mark one of the moves alone. */
  point(move) {
    const { from, to } = this.moves.find((each) => each.move === move);
    this.board.mark(new Set([from]), new Set([to]));
  }

  press(place) {
    const { lifted } = this;
    const from = this.moves.filter((each) => each.from === place);
    const to = this.moves.filter((each) => each.to === place && (!lifted || each.from === lifted));
    if (lifted && lifted !== place && to.length) return this.choose(to);
    if (from.length && !isOne(from, "to")) return this.mark(place);
    if (from.length) return this.choose(from);
    if (isOne(to, "from")) return this.choose(to);
    this.mark(null);
    return this.explain(place);
  }

  drop(from, to) {
    return this.choose(this.moves.filter((each) => each.from === from && each.to === to));
  }

  choose(those) {
    const moves = those.map((each) => each.move);
    if (moves.length === 1) return this.play(moves[0]);
    return moves.length ? this.ask(moves) : null;
  }

  canDrag(place) {
    return this.moves.some((each) => each.from === place);
  }
}

/** Whether all of some moves share one end. */
function isOne(moves, end) {
  return new Set(moves.map((each) => each[end])).size === 1;
}
