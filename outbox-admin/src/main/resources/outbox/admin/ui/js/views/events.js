import { get } from '../api.js';
import { h, link } from '../dom.js';
import { time } from '../format.js';
import { badge, filters, moment, pager, redraw, table } from '../parts.js';

export const STATES = [['pending', 'Pending'], ['failed', 'Failing or dead'], ['leased', 'Being worked on'], ['scheduled', 'Scheduled'], ['processed', 'Processed'], ['dead', 'Dead'], ['all', 'All']];

export const SEARCH = [
  { name: 'topic', label: 'Topic' },
  { name: 'tenant', label: 'Tenant' },
  { name: 'correlation', label: 'Correlation id' },
  { name: 'error', label: 'Error contains' },
  { name: 'from', label: 'Created from', type: 'datetime-local' },
  { name: 'to', label: 'to', type: 'datetime-local' },
];

// The filter of the address bar, as the API takes it.
export function filterOf(parameters, names = SEARCH.map((field) => field.name)) {
  return Object.fromEntries(names.filter((name) => parameters[name]).map((name) => [name, parameters[name]]));
}

export const windowNote = (list) => list.window && h('p', { class: 'note' }, `The search in error texts covers ${time(list.window.from)} to ${time(list.window.to)}. Set the times to look elsewhere.`);

export function events(context) {
  const status = context.parameters.status ?? 'pending';
  const query = { status, ...filterOf(context.parameters) };
  const place = h('div', {});
  const element = h('div', { class: 'page' }, h('h1', {}, 'Events'), filters(context, 'events', [{ name: 'status', label: 'State', options: STATES }, ...SEARCH]), place);

  const columns = [
    { title: 'event', class: 'id', cell: (row) => link(context.address(`events/${encodeURIComponent(row.id)}`), {}, row.id) },
    { title: 'topic', class: 'text', cell: (row) => row.topic },
    { title: 'state', cell: (row) => badge(row.status, row.leased) },
    { title: 'tenant', class: 'text', cell: (row) => row.tenant ?? '–' },
    { title: 'attempts', class: 'number', cell: (row) => row.attempts },
    { title: 'created', cell: (row) => moment(row.createdAt) },
    status === 'processed' ? { title: 'processed', cell: (row) => moment(row.processedAt) } : { title: 'available', cell: (row) => (row.status === 'DONE' || row.status === 'DEAD' ? '–' : moment(row.availableAt)) },
    { title: 'last error', class: 'error', cell: (row) => row.errorSnippet ?? '' },
  ];

  return {
    title: 'Events',
    element,
    async load() {
      const list = await get('', { db: context.db, ...query, cursor: context.parameters.cursor, page: context.parameters.page }, context.signal);
      redraw(place, windowNote(list), table(columns, list.items, { empty: 'No event matches.' }), pager(context, 'events', list, query));
    },
  };
}
