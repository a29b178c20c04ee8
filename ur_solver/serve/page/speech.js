// What the page says, in one language: texts by key, with arguments, and numbers and lists between them.
//
// The texts, and what may stand in one, are described in `ur_solver/common/sayings.py`. `say("archive.none")` gives a
// text, `say("archive.found", { found: 3, all: 5 })` one with arguments. An element of `index.html` says by `data-say`
// which key its text is, and by `data-say-title` or `data-say-aria-label` that of the attribute.

/** The language, which `choose.js` has chosen before anything else was loaded. */
export const language = globalThis.document?.documentElement.lang || "en";

/** The texts; none in a worker, which says nothing. @type {Record<string, string>} */
const TEXTS = globalThis.document ? (await import(`./languages/${language}.js`)).default : {};

/** The language as its reader's country writes numbers and dates. */
const LOCALE = navigator.languages.find((each) => each.split("-")[0] === language) ?? language;
/** Lists are those of the texts, and the English ones are British. */
const LISTS = language === "en" ? "en-GB" : language;

const PLURALS = new Intl.PluralRules(language);

/** Options for numbers with a fixed count of decimals, and for their plurals. */
const decimals = (digits) => (digits === null ? {} : { minimumFractionDigits: digits, maximumFractionDigits: digits });
/** @type {Map<number | null, Intl.NumberFormat>} */
const formats = new Map();

/** A number, with a fixed count of decimals if it is given. */
export function number(value, digits = null) {
  if (!formats.has(digits)) formats.set(digits, new Intl.NumberFormat(LOCALE, decimals(digits)));
  return formats.get(digits).format(value);
}

/** The plural of a number with a count of decimals, for a text that has the number written already. */
export const plural = (value, digits) => new Intl.PluralRules(language, decimals(digits)).select(value);

/** A share in per cent; the sign stays with its number. */
export const percent = (share, digits = 0) => withSign(number(100 * share, digits));

/** A number that is written already, in per cent. */
export const withSign = (written) => say("number.percent", { number: written });

/** Several texts or numbers: `1, 2, 3`, or with the language's word before the last. @param {"" | "and" | "or"} how */
export function list(items, how = "") {
  const texts = [...items].map(shown);
  if (!how) return texts.join(", ");
  return new Intl.ListFormat(LISTS, { type: how === "and" ? "conjunction" : "disjunction" }).format(texts);
}

/** A day. @param {number} time */
export const date = (time) => new Date(time).toLocaleDateString(LOCALE);

export const capitalised = (text) => text.charAt(0).toLocaleUpperCase(language) + text.slice(1);

const shown = (value) => (typeof value === "number" ? number(value) : Array.isArray(value) ? list(value) : value);

/** The text of a key. @param {string} key @param {Record<string, any>} given */
export const say = (key, given = {}) => parts(key, given).join("");

/** The same where arguments are elements: texts and elements, for `make`. */
export const parts = (key, given) => written(parsed(key), given);

/** What data say: a text as it is, or a key with its arguments. @param {string | [string, Record<string, any>?]} saying */
export const said = (saying) => (typeof saying === "string" ? saying : say(...saying));

/** @type {Map<string, any[]>} */
const known = new Map();

function parsed(key) {
  if (!known.has(key)) known.set(key, read((TEXTS[key] ?? key).match(/[{}]|[^{}]+/g) ?? []));
  return known.get(key);
}

/** The parts of a text up to a closing brace: texts, and arguments with their forms. */
function read(tokens) {
  const found = [];
  for (let token = tokens.shift(); token && token !== "}"; token = tokens.shift()) {
    if (token !== "{") {
      found.push(token);
      continue;
    }
    const [name, how = "", first = ""] = tokens.shift().split(",").map((each) => each.trim());
    const forms = {};
    let form = first;
    for (token = tokens.shift(); token && token !== "}"; token = tokens.shift()) {
      if (token === "{") forms[form] = read(tokens);
      else form = token.trim();
    }
    found.push({ name, how, forms });
  }
  return found;
}

function written(found, given, count = null) {
  return found.flatMap((each) => {
    if (typeof each === "string") return count === null ? each : each.replaceAll("#", number(count));
    const { name, how, forms } = each;
    const value = given[name];
    if (how === "plural") return written(forms[PLURALS.select(value)] ?? forms.other, given, value);
    if (how === "select") return written(forms[value] ?? forms.other, given, count);
    if (how === "percent") return percent(value);
    return how ? list(value, how) : shown(value);
  });
}

// The page's own text.

const ATTRIBUTES = ["title", "aria-label", "aria-roledescription"];

/** Say what a part of the page wants to say. @param {Element | Document} host */
function fill(host) {
  for (const each of host.querySelectorAll("[data-say]")) each.textContent = say(each.getAttribute("data-say"));
  for (const name of ATTRIBUTES) {
    for (const each of host.querySelectorAll(`[data-say-${name}]`)) each.setAttribute(name, say(each.getAttribute(`data-say-${name}`)));
  }
}

if (globalThis.document) {
  fill(document);
  document.documentElement.dataset.language = language; // until then a text in another language is not shown
}
