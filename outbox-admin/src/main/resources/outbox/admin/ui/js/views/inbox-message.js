import { get, post } from '../api.js';
import { ask, h, link, toast } from '../dom.js';
import { time } from '../format.js';
import { badge, facts, redrawing } from '../parts.js';
import { errorCard, headersCard, payloadCard, timelineCard } from './event.js';

const at = (iso) => (iso ? time(iso) : undefined);

export function inboxMessage(context) {
  const { source, messageId } = context.parameters;
  const place = h('div', { class: 'stack' });
  const element = h('div', { class: 'page' }, h('nav', { class: 'crumbs' }, link(context.address('inbox'), {}, 'Inbox'), ' / ', source, ' / ', h('span', { class: 'id' }, messageId)), place);
  let showPayload = false;

  async function replay() {
    if (!(await ask({ title: 'Replay this message?', body: 'It is handled again, with its attempts counted from zero.', confirm: 'Replay' }))) return;
    try {
      const done = await post('/inbox/message/replay', { db: context.db, source, messageId });
      toast(done.changed ? 'Replayed.' : 'Nothing changed: another user or node was faster.', done.changed ? 'good' : 'warn');
    } catch (e) {
      toast(e.message, 'bad');
    }
    context.refresh();
  }

  const draw = redrawing(place, (message) => [
    h('div', { class: 'split' }, h('h1', {}, message.topic ?? messageId, ' ', badge(message.status, message.leased)),
      context.session?.canWrite && message.status === 'DEAD' && h('div', { class: 'actions' }, h('button', { type: 'button', class: 'primary', onclick: replay }, 'Replay'))),
    h('div', { class: 'two' },
      h('section', { class: 'card' }, h('h2', {}, 'Message'), facts([
        ['Source', message.source], ['Message id', h('span', { class: 'id' }, message.messageId)], ['Topic', message.topic],
        ['Attempts', message.attempts], ['First seen', at(message.createdAt)], ['Last seen', at(message.lastSeenAt)], ['Due', at(message.dueAt)], ['Leased until', at(message.leasedUntil)], ['Leased to', message.owner], ['Processed', at(message.processedAt)],
      ])),
      timelineCard(message)),
    errorCard(message), headersCard(message), payloadCard(context, message, () => { showPayload = true; context.refresh(); }),
  ]);

  return {
    title: messageId,
    element,
    async load() { draw(await get('/inbox/message', { db: context.db, source, messageId, payload: showPayload || undefined }, context.signal), showPayload); },
  };
}
