// The focus is kept where something is drawn anew under it.

import { at } from "./dom.js";

const REDRAWN = ["options", "throws", "moves", "turns", "controls", "mistakes"];

/** Draw something; what had the focus has it again, or what takes its place. */
export function keepingFocus(draw) {
  const focused = document.activeElement;
  const host = REDRAWN.map(at).find((each) => each.contains(focused) && each !== focused);
  const text = focused?.textContent;
  const index = host ? [...host.querySelectorAll("button")].indexOf(focused) : -1;
  draw();
  if (!host || (focused.isConnected && !focused.disabled)) return;
  const buttons = [...host.querySelectorAll("button:not(:disabled)")].filter((each) => each.offsetParent);
  const next = host.id === "turns" ? host.querySelector("[aria-current]")
    : host.id === "moves" ? null
    : buttons.find((each) => each.textContent === text) ?? (host.id === "throws" ? buttons[index] : null);
  (next ?? at("board")).focus({ preventScroll: true });
}
