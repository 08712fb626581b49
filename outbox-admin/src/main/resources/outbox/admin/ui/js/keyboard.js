// What keys do, wherever one is; see the list that the question mark shows.
import { h, show } from './dom.js';

const main = document.getElementById('view');

export function help(views) {
  const rows = [['/', 'search'], ['j k', 'next, previous row'], ['Enter', 'open the row'], ['x', 'select the row'], ['r', 'refresh'], ['p', 'pause or resume live updates'], ['t', 'light or dark'], ...views.map((item) => [`g ${item.key}`, item.title])];
  show('Keyboard', h('dl', { class: 'keys' }, rows.map(([key, what]) => [h('dt', {}, h('kbd', {}, key)), h('dd', {}, what)])));
}

function moveRow(step) {
  const rows = [...main.querySelectorAll('tbody tr[tabindex]')];
  if (!rows.length) return;
  const at = rows.indexOf(document.activeElement);
  rows[Math.min(rows.length - 1, Math.max(0, at + step))].focus();
}

function search() {
  const form = main.querySelector('details.search');
  if (!form) return;
  form.open = true;
  form.querySelector('input').focus();
}

// For each view a letter, which follows a g.
export function keyboard(views, { view, refresh, toggleLive, toggleTheme }) {
  let leader = false;
  return (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || document.getElementById('dialog').open) return;
    if (event.target.closest('input, select, textarea')) {
      if (event.key === 'Escape') event.target.blur();
      return;
    }
    if (leader) {
      leader = false;
      const item = views.find((one) => one.key === event.key);
      if (item) view(item.path);
      return;
    }
    const row = document.activeElement?.closest?.('tbody tr[tabindex]');
    const actions = {
      g: () => { leader = true; setTimeout(() => { leader = false; }, 1500); },
      '/': search,
      j: () => moveRow(1),
      k: () => moveRow(-1),
      r: refresh,
      p: toggleLive,
      t: toggleTheme,
      '?': () => help(views),
      x: () => row?.querySelector('input[type=checkbox]')?.click(),
      Enter: () => row && event.target === row && row.querySelector('a')?.click(),
    };
    if (actions[event.key]) {
      if (event.key !== 'Enter' || (row && event.target === row)) event.preventDefault();
      actions[event.key]();
    }
  };
}
