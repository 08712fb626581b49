import { get } from '../api.js';
import { h, link } from '../dom.js';
import { badge, bar, filters, moment, name, pager, progress, redraw, table, tabs } from '../parts.js';
import { filterOf, windowNote } from './events.js';

const STATES = [['all', 'All'], ['pending', 'Pending'], ['completed', 'Completed'], ['failed', 'Failed'], ['cancelled', 'Cancelled']];

const FIELDS = [{ name: 'groupingKey', label: 'Grouping key' }];

export function joins(context) {
  const filter = filterOf(context.parameters, FIELDS);
  const status = context.parameters.status ?? 'all';
  const query = { status, ...filter };
  const place = h('div', { class: 'stack' });
  const element = h('div', { class: 'page' }, h('h1', {}, 'Joins'), tabs(context, 'joins', 'status', STATES, status, filter), filters(context, 'joins', FIELDS, { status }), place);

  const columns = [
    { title: 'join', class: 'id', cell: (row) => link(context.address(`joins/${encodeURIComponent(row.id)}`), {}, row.id) },
    { title: 'grouping key', class: 'text', cell: (row) => name(row.groupingKey) },
    { title: 'state', cell: (row) => badge(row.status) },
    { title: 'progress', class: 'progress', cell: (row) => h('div', {}, bar(row.completed, row.failed, row.expected), h('span', { class: 'dim' }, progress(row))) },
    { title: 'started', cell: (row) => moment(row.createdAt) },
  ];

  return {
    title: 'Joins',
    element,
    async load() {
      const list = await get('/joins', { db: context.db, ...query, cursor: context.parameters.cursor, page: context.parameters.page }, context.signal);
      redraw(place, windowNote(list), table(columns, list.items, { empty: 'No join matches.' }), pager(context, 'joins', list, query));
    },
  };
}
