import { get, post, segment } from '../api.js';
import { ask, h, link, toast } from '../dom.js';
import { number, time } from '../format.js';
import { badge, bar, facts, progress, redrawing, table } from '../parts.js';

export function join(context) {
  const [id] = context.arguments;
  const place = h('div', { class: 'stack' });
  const element = h('div', { class: 'page' }, h('nav', { class: 'crumbs' }, link(context.address('joins'), {}, 'Joins'), ' / ', h('span', { class: 'id' }, id)), place);

  async function cancel() {
    if (!(await ask({ title: 'Cancel this join?', body: 'It ends now; what waits for it continues at once.', confirm: 'Cancel the join', danger: true }))) return;
    try {
      const done = await post(`/joins/${segment(id)}/cancel`, { db: context.db });
      toast(done.changed ? 'Cancelled.' : 'It had ended already.', done.changed ? 'good' : 'warn');
    } catch (e) {
      toast(e.message, 'bad');
    }
    context.refresh();
  }

  const eventLink = (messageId) => link(context.address(`events/${encodeURIComponent(messageId)}`), { class: 'id' }, messageId);

  const draw = redrawing(place, (it) => [
        h('div', { class: 'split' }, h('h1', {}, it.groupingKey ?? 'Join', ' ', badge(it.status)), context.session?.canWrite && it.status === 'PENDING' && h('div', { class: 'actions' }, h('button', { type: 'button', class: 'danger', onclick: cancel }, 'Cancel'))),
        h('section', { class: 'card' }, bar(it.completed, it.failed, it.expected), facts([
          ['Progress', progress(it)], ['Not attached yet', it.unattached || undefined],
          ['Started', time(it.createdAt)], ['Ended', it.endedAt && time(it.endedAt)], ['Deadline', it.deadline && time(it.deadline)], ['Metadata', it.metadata],
        ])),
        h('section', { class: 'card' }, h('h2', {}, 'Missing steps', h('small', {}, number(it.missing.length) + (it.missingTruncated ? '+' : ''))), it.missing.length ? h('ul', { class: 'plain' }, it.missing.map((step) => h('li', {}, eventLink(step)))) : h('p', { class: 'dim' }, 'None: every attached step has ended.')),
        h('section', { class: 'card' }, h('h2', {}, 'Steps'), table([
          { title: 'event', class: 'id', cell: (row) => eventLink(row.messageId) },
          { title: 'topic', class: 'text', cell: (row) => row.message?.topic ?? '–' },
          { title: 'state', cell: (row) => badge(row.status) },
          { title: 'ended', cell: (row) => (row.endedAt ? time(row.endedAt) : '–') },
        ], it.members, { empty: 'No step attached.' })),
        h('section', { class: 'card' }, h('h2', {}, 'Waiting for it'), it.waits.length ? h('ul', { class: 'plain' }, it.waits.map((wait) => h('li', {}, eventLink(wait)))) : h('p', { class: 'dim' }, 'Nothing waits.')),
  ]);

  return {
    title: `Join ${id}`,
    element,
    async load() { draw(await get(`/joins/${segment(id)}`, { db: context.db }, context.signal)); },
  };
}
