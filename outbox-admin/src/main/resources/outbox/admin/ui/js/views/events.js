import { get } from '../api.js';
import { h, link } from '../dom.js';
import { time } from '../format.js';
import { badge, errorText, filters, moment, name, pager, redraw, table, tabs } from '../parts.js';

const STATES = [['pending', 'Pending'], ['failed', 'Failing or dead'], ['leased', 'Being worked on'], ['scheduled', 'Scheduled'], ['processed', 'Processed'], ['dead', 'Dead'], ['all', 'All']];

// Which time is meant depends on the state.
const TIME = { processed: 'Completed', dead: 'Died', failed: 'Created or died' };

export const search = (status) => [
  { name: 'topic', label: 'Topic' },
  { name: 'tenant', label: 'Tenant' },
  { name: 'correlation', label: 'Correlation id' },
  { name: 'error', label: 'Error contains' },
  { name: 'from', label: `${TIME[status] ?? 'Created'} from`, type: 'datetime-local' },
  { name: 'to', label: 'to', type: 'datetime-local' },
];

// Only what is being worked on has an owner.
const OWNER = { name: 'owner', label: 'Node or owner' };

// The filter of the address bar, as the API takes it.
export function filterOf(parameters, fields) {
  return Object.fromEntries(fields.filter(({ name }) => parameters[name]).map(({ name }) => [name, parameters[name]]));
}

const WHEN = { processed: 'processed', all: 'due or done' };

// While it is leased, or was, the time from which it may be taken is the end of the lease.
const due = (row) => (row.owner ? row.dueAt ?? row.createdAt : row.availableAt);

function when(row) {
  if (row.status === 'DONE') return moment(row.processedAt);
  return row.status === 'DEAD' ? '–' : moment(due(row));
}

// States that have leases to show.
const HELD = ['pending', 'failed', 'leased', 'all'];

export const windowNote = (list) => list.window && h('p', { class: 'note' }, `The search has covered ${time(list.window.from)} to ${time(list.window.to)}. The next page continues from there.`);

export function events(context) {
  const status = context.parameters.status ?? 'pending';
  const leased = status === 'leased';
  const shared = search(status);
  const fields = leased ? [...shared, OWNER] : shared;
  const query = { status, ...filterOf(context.parameters, fields) };
  const place = h('div', { class: 'stack' });
  const element = h('div', { class: 'page' }, h('h1', {}, 'Events'), tabs(context, 'events', 'status', STATES, status, filterOf(context.parameters, shared)), filters(context, 'events', fields, { status }), place);

  const columns = [
    { title: 'event', class: 'id', cell: (row) => link(context.address(`events/${encodeURIComponent(row.id)}`), {}, row.id) },
    { title: 'topic', class: 'text', cell: (row) => name(row.topic) },
    { title: 'state', cell: (row) => badge(row.status, row.leased) },
    { title: 'tenant', class: 'text', cell: (row) => name(row.tenant) },
    { title: 'attempts', class: 'number', cell: (row) => row.attempts },
    { title: 'created', cell: (row) => moment(row.createdAt) },
    { title: WHEN[status] ?? 'due', cell: when },
    ...(HELD.includes(status) ? [{ title: 'lease ends', cell: (row) => moment(row.leasedUntil) }] : []),
    ...(leased ? [{ title: 'owner', class: 'text', cell: (row) => name(row.owner) }] : []),
    { title: 'last error', class: 'error', cell: (row) => errorText(row.errorSnippet) },
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
