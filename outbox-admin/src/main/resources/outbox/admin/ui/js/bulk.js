import { post } from './api.js';
import { ask, h, replace, toast } from './dom.js';
import { count, number } from './format.js';
import { follow } from './jobs.js';

// Selection and bulk actions of a list of dead letters: some by hand, or all that the filter finds.
export function bulk(context, { path, filter, idOf, discard = true, forReplay }) {
  const chosen = new Set();
  const place = h('div', { class: 'bulk' });
  const progress = h('div', {});
  let items = [];
  const meant = Object.keys(filter).length ? { filter } : { all: true };

  const all = h('input', { type: 'checkbox', 'aria-label': 'Select all on this page', onchange: () => {
    items.forEach((item) => (all.checked ? chosen.add(idOf(item)) : chosen.delete(idOf(item))));
    context.refresh();
  } });

  const one = (item) => h('input', { type: 'checkbox', 'aria-label': `Select ${idOf(item)}`, checked: chosen.has(idOf(item)), onchange: (event) => {
    if (event.target.checked) chosen.add(idOf(item));
    else chosen.delete(idOf(item));
    draw();
  } });

  // What the dialog asked for, without what was left empty.
  const said = (answer) => Object.fromEntries(Object.entries(answer).filter(([, value]) => value));

  async function bySelection(action, title, question) {
    const answer = await ask({ title: `${title} ${number(chosen.size)} selected?`, confirm: title, ...question });
    if (!answer) return;
    await attempt(async () => {
      const done = await post(`${path}/${action}`, { db: context.db }, { ids: [...chosen], ...said(answer) });
      toast(`${number(done.changed)} done${done.changed < chosen.size ? `, ${number(chosen.size - done.changed)} had changed meanwhile` : ''}.`);
      chosen.clear();
    });
  }

  // Says how many it would be before anything happens.
  async function byFilter(action, title, question) {
    await attempt(async () => {
      const found = await post(`${path}/${action}`, { db: context.db }, { ...meant, dryRun: true });
      const what = Object.entries(filter).map(([key, value]) => `${key} ${value}`).join(', ') || 'no filter: all dead letters';
      const answer = await ask({ title: `${title} ${count(found.count)}?`, body: `All that match: ${what}.`, confirm: `${title} ${count(found.count)}`, ...question });
      if (!answer) return;
      const started = await post(`${path}/${action}`, { db: context.db }, { ...meant, ...said(answer) });
      await follow(progress, started.job, context.db);
      chosen.clear();
    });
  }

  async function attempt(work) {
    try {
      await work();
    } catch (e) {
      toast(e.message, 'bad');
    }
    context.refresh();
  }

  const forDiscard = { danger: true, fields: [{ name: 'reason', label: 'Reason' }] };

  function draw() {
    all.checked = items.length > 0 && items.every((item) => chosen.has(idOf(item)));
    all.indeterminate = !all.checked && items.some((item) => chosen.has(idOf(item)));
    if (!context.session?.canWrite) return replace(place, h('p', { class: 'note' }, 'Read-only: actions need the right to write.'));
    const some = chosen.size > 0;
    return replace(place, h('div', { class: 'actions' },
      some ? h('span', { class: 'dim' }, `${number(chosen.size)} selected`) : h('span', { class: 'dim' }, 'Select rows, or take all that the filter finds'),
      some && h('button', { type: 'button', class: 'primary', onclick: () => bySelection('replay', 'Replay', forReplay) }, 'Replay selected'),
      some && discard && h('button', { type: 'button', class: 'danger', onclick: () => bySelection('discard', 'Discard', forDiscard) }, 'Discard selected'),
      h('button', { type: 'button', onclick: () => byFilter('replay', 'Replay', forReplay), disabled: !items.length }, 'Replay all matching…'),
      discard && h('button', { type: 'button', class: 'danger', onclick: () => byFilter('discard', 'Discard', forDiscard), disabled: !items.length }, 'Discard all matching…')));
  }

  return {
    place,
    progress,
    select: context.session?.canWrite ? { all, one } : null,
    show(list) { items = list; draw(); },
  };
}
