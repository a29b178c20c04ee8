// Sounds, made here: dice, a piece that lands, a capture, a rosette, the end of a game.

import { options } from "./options.js";

/** @type {AudioContext | null} */
let context = null;

function tone(at, pitch, seconds, loudness = 0.15, kind = "triangle") {
  const source = new OscillatorNode(context, { type: kind, frequency: pitch });
  fading(source, at, seconds, loudness);
}

function knock(at, seconds, loudness) {
  const length = Math.ceil(context.sampleRate * seconds);
  const buffer = new AudioBuffer({ length, sampleRate: context.sampleRate });
  const samples = buffer.getChannelData(0);
  for (let k = 0; k < length; k++) samples[k] = Math.random() * 2 - 1;
  fading(new AudioBufferSourceNode(context, { buffer }), at, seconds, loudness);
}

function fading(source, at, seconds, loudness) {
  const start = context.currentTime + at;
  const gain = new GainNode(context, { gain: loudness });
  gain.gain.setValueAtTime(loudness, start);
  gain.gain.exponentialRampToValueAtTime(0.0001, start + seconds);
  source.connect(gain).connect(context.destination);
  source.start(start);
  source.stop(start + seconds);
}

const SOUNDS = {
  dice: () => [0, 0.07, 0.12, 0.2, 0.3].forEach((at) => knock(at, 0.05, 0.12)),
  move: () => knock(0, 0.06, 0.2),
  capture: () => [0, 0.09].forEach((at, k) => tone(at, [220, 147][k], 0.2)),
  again: () => [0, 0.08].forEach((at, k) => tone(at, [659, 880][k], 0.2, 0.1)),
  pass: () => tone(0, 196, 0.15, 0.1),
  end: () => [523, 659, 784, 1047].forEach((pitch, k) => tone(0.12 * k, pitch, 0.35)),
};

/** Play a sound, if they are on. @param {"dice" | "move" | "capture" | "again" | "pass" | "end"} name */
export function sound(name) {
  // a page that was opened or reloaded is silent until somebody presses something: browsers insist
  if (!options.sound || navigator.userActivation?.hasBeenActive === false) return;
  context ??= new AudioContext();
  SOUNDS[name]();
}
