// The judged plies of a turn, as the server's `line` has them (ur_solver/serve/judged.py).

/** What some plies have together of something that not all may have. */
export const sumOf = (plies, key) => plies.reduce((sum, ply) => sum + (ply[key] ?? 0), 0);

/** Whether a choice is as good as the best, as far as values tell, which sum to `total` for both sides. */
export const isTie = (total, loss, error = 0) => loss <= Math.max(1e-6 * total, error);

/**
 * The plies of a turn in an answer about its position: the choice before the throw, if there was
 * another one that is worth something, and the throw.
 * @param {any} answer of the position @param {any} entry its throw
 * @param {{choice: string | null, move: string | null}} turn
 * @param {any} move the move among those of the throw; missing where the turn passes
 * @param {{before: number, error: number, total: number, isExact: boolean} | null} judged the value
 *   before the turn and its error, and what both sides' values sum to; null without values
 */
export function pliesOf(answer, entry, turn, move, judged) {
  const common = { side: answer.side, position: answer.position, choice: turn.choice };
  const ply = { ...common, throw: entry.throw, move: turn.move, options: entry.moves.length,
    cost: move?.cost ?? 0, position_after: move ? move.position : answer.after_pass };
  if (!judged) return [ply];
  const { total, isExact } = judged;
  let { before, error } = judged;
  const errors = (lost) => (isExact ? {}
    : { ...(error ? { exact: false, error } : { exact: true }), loss_error: lost });
  const plies = [];
  const worth = Object.entries(answer.choices ?? {}).filter(([, value]) => value !== null);
  if (worth.length > 1) {
    const [name, most] = worth.reduce((one, two) => (two[1] > one[1] ? two : one));
    const chosen = answer.choices[turn.choice];
    const loss = most - chosen;
    const lost = answer.choice_loss_errors?.[turn.choice] ?? 0;
    plies.push({
      ...common, throw: null, move: turn.choice, best: isTie(total, loss, lost) ? turn.choice : name,
      value: before, best_value: most, loss, luck: most - before,
      mark: answer.choice_marks[turn.choice], cost: 0, options: worth.length,
      position_after: answer.position, ...errors(lost),
    });
    before = chosen;
    error = answer.choice_errors?.[turn.choice] ?? 0;
  }
  const loss = move?.loss ?? 0;
  const lost = move?.loss_error ?? 0;
  const best = move && isTie(total, loss, lost) ? turn.move : entry.moves[0]?.move ?? null;
  plies.push({ ...ply, best, value: before, best_value: entry.value, loss, luck: entry.value - before,
    mark: move?.mark ?? null, ...errors(lost) });
  return plies;
}
