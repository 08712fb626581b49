// The light: whether figures come in, how old those are that are shown, and what is wrong.
import { duration } from './format.js';

const SLOW_MS = 2000;

const now = () => Date.now();

export function light(button, age) {
  const state = { on: true, asked: null, taken: null, trouble: null };

  function words() {
    if (!state.on) return ['Paused', 'paused'];
    if (state.trouble) return ['No answer', 'bad'];
    return waits() ? ['Waiting', 'warn'] : ['Live', 'good'];
  }

  const waits = () => state.asked !== null && now() - state.asked >= SLOW_MS;

  function draw() {
    const [text, kind] = words();
    button.setAttribute('aria-pressed', String(state.on));
    button.className = kind;
    button.querySelector('.text').textContent = text;
    const seconds = state.taken === null ? null : Math.floor((now() - state.taken) / 1000);
    age.textContent = seconds === null ? '' : seconds < 1 ? 'just now' : `${duration(1000 * seconds)} old`;
    age.title = 'How old the figures are';
  }

  function set(change) {
    Object.assign(state, change);
    draw();
  }

  setInterval(draw, 1000);
  return {
    on(value) { set({ on: value }); },
    // Another view: nothing is shown yet.
    clear() { set({ asked: null, taken: null, trouble: null }); },
    asks() { set({ asked: now() }); },
    // What arrived was read from the database so long ago.
    got({ ageMs = 0, trouble = null } = {}) { set({ asked: null, taken: now() - ageMs, trouble }); },
    fails(trouble) { set({ asked: null, trouble }); },
    // How long a question has been open, if that is long; else null.
    waiting() { return waits() ? now() - state.asked : null; },
  };
}
