// A move chosen by pressing a piece, and the square where it goes if it may go to several.

/** The name of a place on the board for one of a move's ends. */
export function placed(name, side) {
  return name === "home" || name === "off" ? `${side} ${name}` : name;
}

export class Presses {
  /** @param {import("./board.js").Board} board @param {(move: any) => void} play */
  constructor(board, play) {
    this.board = board;
    this.play = play;
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

  press(place) {
    const { lifted } = this;
    const from = this.moves.filter((each) => each.from === place);
    const to = this.moves.filter((each) => each.to === place && (!lifted || each.from === lifted));
    if (lifted && lifted !== place && to.length === 1) this.play(to[0].move);
    else if (from.length === 1) this.play(from[0].move);
    else if (from.length) this.mark(place);
    else if (to.length === 1) this.play(to[0].move);
    else this.mark(null);
  }

  drop(from, to) {
    const those = this.moves.filter((each) => each.from === from && each.to === to);
    if (those.length === 1) this.play(those[0].move);
  }

  canDrag(place) {
    return this.moves.some((each) => each.from === place);
  }
}
