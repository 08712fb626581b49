import { get } from '../api.js';
import { h, link } from '../dom.js';
import { badge, bar, filters, moment, pager, redraw, table } from '../parts.js';
import { filterOf } from './events.js';

const FIELDS = [
  { name: 'status', label: 'State', options: [['all', 'All'], ['pending', 'Pending'], ['completed', 'Completed'], ['failed', 'Failed'], ['cancelled', 'Cancelled']] },
  { name: 'groupingKey', label: 'Grouping key' },
];

export function joins(context) {
  const query = filterOf(context.parameters, FIELDS.map((field) => field.name));
  const place = h('div', {});
  const element = h('div', { class: 'page' }, h('h1', {}, 'Joins'), filters(context, 'joins', FIELDS), place);

  const columns = [
    { title: 'join', class: 'id', cell: (row) => link(context.address(`joins/${encodeURIComponent(row.id)}`), {}, row.id) },
    { title: 'grouping key', class: 'text', cell: (row) => row.groupingKey ?? '–' },
    { title: 'state', cell: (row) => badge(row.status) },
    { title: 'progress', class: 'progress', cell: (row) => [bar(row.completed, row.failed, row.expected), h('span', { class: 'dim' }, `${row.completed + row.failed} of ${row.expected}${row.failed ? `, ${row.failed} failed` : ''}`)] },
    { title: 'started', cell: (row) => moment(row.createdAt) },
  ];

  return {
    title: 'Joins',
    element,
    async load() {
      const list = await get('/joins', { db: context.db, ...query, cursor: context.parameters.cursor, page: context.parameters.page }, context.signal);
      redraw(place, table(columns, list.items, { empty: 'No join matches.' }), pager(context, 'joins', list, query));
    },
  };
}
