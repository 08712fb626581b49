import { get, post, segment } from './api.js';
import { h, replace, toast } from './dom.js';
import { number } from './format.js';
import { bar } from './parts.js';

// Follows a long piece of work to its end, with its progress and a way to stop it.
export async function follow(place, job, db) {
  for (;;) {
    const state = await get(`/jobs/${segment(job)}`, { db });
    replace(place, h('section', { class: 'card job' },
      h('div', { class: 'split' }, h('strong', {}, `${state.what}: ${number(state.done)}${state.total ? ` of ${number(state.total)}` : ''}`),
        state.state === 'RUNNING' && h('button', { type: 'button', class: 'quiet small', onclick: () => post(`/jobs/${segment(job)}/stop`, { db }).catch((e) => toast(e.message, 'bad')) }, 'Stop')),
      bar(state.done, 0, Math.max(state.total ?? state.done, 1))));
    if (state.state !== 'RUNNING') {
      toast(state.state === 'FAILED' ? `${state.what} failed: ${state.error}` : `${state.what}: ${number(state.done)} done${state.state === 'STOPPED' ? ', then stopped' : ''}.`, state.state === 'FAILED' ? 'bad' : 'good');
      replace(place);
      return;
    }
    await new Promise((resume) => setTimeout(resume, 500));
  }
}
