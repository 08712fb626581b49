import { get, post, segment } from '../api.js';
import { ask, h, link, toast } from '../dom.js';
import { bytes, duration, time } from '../format.js';
import { badge, facts, FAILED_ONLY, redrawing } from '../parts.js';

const at = (iso) => (iso ? time(iso) : undefined);

export function payloadCard(context, message, showIt) {
  const payload = message.payload;
  const size = payload?.size === undefined ? '' : bytes(payload.size);
  const head = h('h2', {}, 'Payload', h('small', {}, size));
  if (!payload || payload.kind === 'cleared') return h('section', { class: 'card' }, head, h('p', { class: 'dim' }, 'Removed after its retention.'));
  if (payload.kind === 'hidden') {
    return h('section', { class: 'card' }, head, context.session?.payloads
      ? h('button', { type: 'button', onclick: showIt }, 'Show')
      : h('p', { class: 'dim' }, 'Payloads are not shown here.'));
  }
  const content = payload.kind === 'text' ? pretty(payload.text) : payload.base64;
  const copy = h('button', { type: 'button', class: 'quiet small', onclick: async () => {
    await navigator.clipboard.writeText(payload.kind === 'text' ? payload.text : payload.base64);
    toast('Copied.');
  } }, 'Copy');
  return h('section', { class: 'card' }, h('div', { class: 'split' }, head, copy), payload.kind === 'bytes' && h('p', { class: 'dim' }, 'Bytes, as Base64'), h('pre', { class: 'payload' }, content));
}

const JSON_PARTS = /("(?:[^"\\]|\\.)*")(\s*:)?|-?\d[\d.eE+-]*|true|false|null/g;

// JSON with its parts told apart by colour; anything else as it is.
function pretty(text) {
  let indented;
  try {
    indented = JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
  const shown = [];
  let end = 0;
  for (const part of indented.matchAll(JSON_PARTS)) {
    const [whole, string, colon] = part;
    shown.push(indented.slice(end, part.index), h('span', { class: colon ? 'key' : string ? 'string' : 'other' }, string ?? whole), colon ?? '');
    end = part.index + whole.length;
  }
  return [...shown, indented.slice(end)];
}

export const headersCard = (message) => message.headers && Object.keys(message.headers).length > 0 && h('section', { class: 'card' }, h('h2', {}, 'Headers'), facts(Object.entries(message.headers)));

export const errorCard = (message) => message.error && h('section', { class: 'card bad' }, h('h2', {}, 'Last error'), h('pre', {}, message.error));

const KINDS = { died: 'bad', discarded: 'bad', done: 'good' };

export const timelineCard = (message) => h('section', { class: 'card' }, h('h2', {}, 'Time line'), h('ol', { class: 'timeline' }, message.timeline.map((entry) => h('li', { class: KINDS[entry.what] }, h('time', { datetime: entry.at }, time(entry.at)), h('strong', {}, entry.what), entry.detail && h('span', {}, entry.detail)))));

// From when it could have been handled: stored, due or replayed, whatever was last.
function took(message) {
  if (!message.processedAt) return undefined;
  const end = Date.parse(message.processedAt);
  const replayed = message.timeline.find(({ what }) => what === 'replayed')?.at;
  const since = [message.createdAt, message.dueAt, replayed].map((iso) => (iso ? Date.parse(iso) : 0)).filter((begin) => begin <= end);
  return duration(end - Math.max(...since));
}

export function event(context) {
  const [id] = context.arguments;
  const place = h('div', { class: 'stack' });
  const element = h('div', { class: 'page' }, h('nav', { class: 'crumbs' }, link(context.address('events'), {}, 'Events'), ' / ', h('span', { class: 'id' }, id)), place);
  let showPayload = false;

  const act = async (action, question, body) => {
    const answer = await ask(question);
    if (!answer) return;
    try {
      const done = await post(`/${segment(id)}/${action}`, { db: context.db }, body?.(answer));
      toast(done.changed ? 'Done.' : 'Nothing changed: another user or node was faster.', done.changed ? 'good' : 'warn');
    } catch (e) {
      toast(e.message, 'bad');
    }
    context.refresh();
  };

  function actions(message) {
    if (!context.session?.canWrite) return null;
    const live = message.status === 'NEW' || message.status === 'RETRY';
    const button = (text, action, kind) => h('button', { type: 'button', class: kind ?? '', onclick: action }, text);
    return h('div', { class: 'actions' },
      message.status === 'DEAD' && button('Replay', () => act('replay', { title: 'Replay this event?', body: 'It is delivered again, with its attempts counted from zero.', fields: message.doneListeners?.length ? [FAILED_ONLY] : [], confirm: 'Replay' }, (answer) => (answer.failedOnly ? { failedOnly: true } : undefined)), 'primary'),
      live && button('Release now', () => act('release', { title: 'Make this event due now?', body: 'The process that works on it loses its lease, so the event may be handled twice.', confirm: 'Release' })),
      live && button('Defer', () => act('defer', { title: 'Defer this event', fields: [{ name: 'seconds', label: 'Seconds from now', type: 'number', min: 0, value: 60 }], confirm: 'Defer' }, (answer) => ({ delayMs: Math.round(Number(answer.seconds) * 1000) }))),
      message.status === 'DEAD' && button('Discard', () => act('discard', { title: 'Discard this event?', body: 'It is never delivered.', fields: [{ name: 'reason', label: 'Reason' }], confirm: 'Discard', danger: true }, (answer) => ({ reason: answer.reason })), 'danger'));
  }

  const draw = redrawing(place, (message) => [
    h('div', { class: 'split' }, h('h1', {}, message.topic, ' ', badge(message.status, message.leased)), actions(message)),
    h('div', { class: 'two' },
      h('section', { class: 'card' }, h('h2', {}, 'Event'), facts([
        ['Id', h('span', { class: 'id' }, message.id)], ['Idempotency key', h('span', { class: 'id' }, message.idempotencyKey)], ['Tenant', message.tenant], ['Aggregate', [message.aggregateType, message.aggregateId].filter(Boolean).join(' ')],
        ['Correlation id', message.correlationId && link(context.address('events', { status: 'all', correlation: message.correlationId }), {}, message.correlationId)],
        ['Joins', message.joins.length > 0 && message.joins.map((one) => link(context.address(`joins/${encodeURIComponent(one)}`), { class: 'id' }, one, ' '))],
        ['Failed listeners', message.failedListeners?.join(', ')], ['Done listeners', message.doneListeners?.join(', ')],
        ['Attempts', message.attempts], ['Created', at(message.createdAt)], ['Occurred', at(message.occurredAt)], ['Due', at(message.dueAt)],
        [message.attempts ? 'Next try' : 'Available', message.owner || message.status === 'DONE' || message.status === 'DEAD' ? undefined : at(message.availableAt)],
        ['Leased until', at(message.leasedUntil)], ['Leased to', message.owner], ['Processed', at(message.processedAt)],
        ['Took', took(message)], ['Expires', at(message.expiresAt)], ['Replays', message.replays || undefined],
      ])),
      timelineCard(message)),
    errorCard(message), headersCard(message), payloadCard(context, message, () => { showPayload = true; context.refresh(); }),
  ]);

  return {
    title: id,
    element,
    async load() { draw(await get(`/${segment(id)}`, { db: context.db, payload: showPayload || undefined }, context.signal), showPayload); },
  };
}
