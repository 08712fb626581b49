// What several views are made of.
import { h, link, replace } from './dom.js';
import { ago, time } from './format.js';

export function badge(status, leased) {
  const shown = leased ? 'LEASED' : status;
  return h('span', { class: `badge ${shown.toLowerCase()}` }, shown.toLowerCase());
}

export const moment = (iso) => (iso ? h('time', { datetime: iso, title: time(iso) }, ago(iso)) : '–');

export function figure(label, value, { kind, href, note } = {}) {
  const inside = [h('span', { class: 'label' }, label), h('strong', {}, value), note && h('small', {}, note)];
  return href ? link(href, { class: `figure ${kind ?? ''}` }, inside) : h('div', { class: `figure ${kind ?? ''}` }, inside);
}

// The states of a list, one beside the other.
export function tabs(context, path, name, options, chosen, keep) {
  return h('nav', { class: 'tabs', 'aria-label': 'State' }, options.map(([key, text]) => link(context.address(path, { ...keep, [name]: key }), { 'aria-current': key === chosen ? 'page' : null }, text)));
}

// A name that may be broken after its dots, slashes and the like, and elsewhere only if it must.
export const name = (text) => (text ? text.split(/(?<=[./_:-])/).flatMap((part, n) => (n ? [h('wbr'), part] : [part])) : '–');

export const errorText = (text) => (text ? h('span', { title: text }, text) : '');

// The listeners that failed, by their names.
export const failedListeners = (row) => (row.failedListeners?.length ? h('span', { title: row.doneListeners?.length ? `done: ${row.doneListeners.join(', ')}` : '' }, row.failedListeners.join(', ')) : '');

// What a replay asks: all listeners run, unless only those are wanted that are not done.
export const FAILED_ONLY = { name: 'failedOnly', label: 'Only the listeners that are not done', type: 'checkbox' };

// A form whose fields live in the address bar, so that a view can be kept, shared and reloaded.
export function filters(context, path, fields, keep = {}) {
  const apply = (event) => {
    event?.preventDefault();
    const query = { ...keep };
    for (const field of fields) {
      const value = form.elements[field.name].value.trim();
      if (value) query[field.name] = field.type === 'datetime-local' ? new Date(value).toISOString() : value;
    }
    context.go(context.address(path, query));
  };
  const input = (field) => {
    const value = context.parameters[field.name] ?? '';
    return h('input', { name: field.name, type: field.type ?? 'search', placeholder: field.placeholder, value: field.type === 'datetime-local' ? local(value) : value, onchange: field.type === 'datetime-local' ? apply : null, spellcheck: 'false', autocomplete: 'off' });
  };
  const form = h('form', { class: 'filter', role: 'search', onsubmit: apply },
    fields.map((field) => h('label', { class: `field ${field.type ? 'date' : ''}` }, field.label, input(field))),
    h('div', { class: 'actions' },
      h('button', { type: 'submit', class: 'primary' }, 'Search'),
      link(context.address(path, keep), { class: 'button quiet' }, 'Clear')));
  const narrow = matchMedia('(max-width: 46rem)').matches;
  return h('details', { class: 'search', open: !narrow || fields.some((field) => context.parameters[field.name]) }, h('summary', {}, 'Filter'), form);
}

function local(iso) {
  if (!iso || Number.isNaN(Date.parse(iso))) return '';
  const at = new Date(iso);
  return new Date(at.getTime() - at.getTimezoneOffset() * 60000).toISOString().slice(0, 19);
}

// columns: {title, cell(item), class?}. Rows can be reached by j and k, and opened by Enter.
export function table(columns, items, { empty, rowClass, select, compact = false } = {}) {
  if (!items.length) return h('p', { class: 'empty' }, empty ?? 'Nothing here.');
  const head = h('thead', {}, h('tr', {}, select && h('th', { class: 'pick' }, select.all), columns.map((column) => h('th', { class: column.class, scope: 'col' }, column.title))));
  const body = h('tbody', {}, items.map((item) => h('tr', { tabindex: '0', class: rowClass?.(item), onclick: openRow },
    select && h('td', { class: 'pick' }, select.one(item)),
    columns.map((column) => cell(column, item)))));
  body.querySelectorAll('tr').forEach((row) => row.classList.toggle('opens', Boolean(row.querySelector('a'))));
  return h('div', { class: compact ? 'table compact' : 'table' }, h('table', {}, head, body));
}

function cell(column, item) {
  const element = h('td', { class: column.class, 'data-label': column.title }, column.cell(item));
  if (column.class === 'text' || column.class === 'id') element.title = element.textContent;
  return element;
}

// A click beside the link opens the row too; one that marks text or a checkbox does not.
function openRow(event) {
  if (event.target.closest('a, button, input') || getSelection().type === 'Range') return;
  event.currentTarget.querySelector('a')?.click();
}

const FOCUSABLE = 'tr[tabindex], a, button, input';

// Draws again without losing what has the focus.
export function redraw(place, ...children) {
  const at = [...place.querySelectorAll(FOCUSABLE)].indexOf(document.activeElement);
  replace(place, ...children);
  if (at >= 0) place.querySelectorAll(FOCUSABLE)[at]?.focus({ preventScroll: true });
}

// Draws only what has changed, so that a reader's place in a long text and what is marked stay.
export function redrawing(place, draw) {
  let drawn;
  return (data, ...more) => {
    const now = JSON.stringify([data, ...more]);
    if (now !== drawn) redraw(place, ...draw(data));
    drawn = now;
  };
}

export function pager(context, path, list, keep) {
  const to = (cursor, page) => context.address(path, { ...keep, cursor, page });
  const page = list.page;
  if (!list.previous && !list.next && page === 1) return null;
  return h('nav', { class: 'pager', 'aria-label': 'Pages' },
    page > 1 ? link(context.address(path, { ...keep, cursor: undefined, page: undefined }), { class: 'button quiet' }, '« First') : h('span', {}),
    list.previous ? link(to(list.previous, page - 1), { class: 'button quiet', rel: 'prev' }, '‹ Previous') : h('span', {}),
    h('span', { class: 'dim' }, `Page ${page}`),
    list.next ? link(to(list.next, page + 1), { class: 'button quiet', rel: 'next' }, 'Next ›') : h('span', {}));
}

export function facts(pairs, { row = false } = {}) {
  const one = ([name, value]) => [h('dt', {}, name), h('dd', {}, value)];
  return h('dl', { class: row ? 'facts row' : 'facts' }, pairs.filter(([, value]) => value !== undefined && value !== null && value !== '' && value !== false).map((pair) => (row ? h('div', {}, one(pair)) : one(pair))));
}

// How far a join is, in the same words wherever it is shown.
export const progress = (join) => `${join.completed + join.failed} of ${join.expected} ended${join.failed ? `, ${join.failed} failed` : ''}`;

export function bar(done, failed, total) {
  const share = (value) => (total ? (100 * value) / total : 0);
  const picture = svg('svg', { class: 'progress', viewBox: '0 0 100 6', preserveAspectRatio: 'none', role: 'img', 'aria-label': `${done} done, ${failed} failed of ${total}` });
  picture.append(svg('rect', { class: 'done', width: share(done), height: 6 }), svg('rect', { class: 'failed', x: share(done), width: share(failed), height: 6 }));
  return picture;
}

function svg(name, attributes) {
  const element = document.createElementNS('http://www.w3.org/2000/svg', name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  return element;
}
