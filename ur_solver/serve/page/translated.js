// What data say in the reader's language. They have English texts, and in `said` for each what it is made of.

import { said } from "./speech.js";

const inWords = (data) => (text) => data.said[text]?.map(said).join(" ") ?? text;
const game = (tell, found) => ({ ...found, title: tell(found.title), sentence: tell(found.sentence), sources: found.sources.map(tell) });
const each = (values, change) => Object.fromEntries(Object.entries(values).map(change));

/** The games to choose from. */
export function gamesOf(data) {
  return { ...data, rules: data.rules.map((found) => game(inWords(data), found)) };
}

/** A rule set's data. */
export function rulesOf(data) {
  const tell = inWords(data);
  const { board } = data.about;
  const words = each(board.words, ([square, text]) => [square, tell(text)]);
  return {
    ...data,
    about: { ...game(tell, data.about), board: { ...board, words } },
    faults: data.faults.map((those) => each(those, ([fault, contents]) => [tell(fault), contents])),
  };
}

/** The rules in prose; their sections are English. */
export function proseOf(data) {
  const tell = inWords(data);
  return { ...data, title: tell(data.title), short: data.short.map(tell), sources: data.sources.map(tell) };
}
