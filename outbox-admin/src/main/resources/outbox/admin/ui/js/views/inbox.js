import { get } from '../api.js';
import { bulk } from '../bulk.js';
import { h, link } from '../dom.js';
import { badge, errorText, filters, moment, name, pager, redraw, table, tabs } from '../parts.js';
import { filterOf, windowNote } from './events.js';

const STATES = [['all', 'All'], ['processing', 'Processing'], ['dead', 'Dead'], ['done', 'Done'], ['seen', 'Seen']];

// Which time is meant depends on the state.
const TIME = { done: 'Done', dead: 'Died' };

const search = (status) => [
  { name: 'source', label: 'Source' },
  { name: 'topic', label: 'Topic' },
  { name: 'error', label: 'Error contains' },
  { name: 'from', label: `${TIME[status] ?? 'First seen'} from`, type: 'datetime-local' },
  { name: 'to', label: 'to', type: 'datetime-local' },
];

export function inbox(context) {
  const status = context.parameters.status ?? 'all';
  const fields = search(status);
  const filter = filterOf(context.parameters, fields);
  const place = h('div', { class: 'stack' });
  const actions = status === 'dead' ? bulk(context, { path: '/inbox/dead', filter, idOf: (row) => row.id, discard: false }) : null;
  const element = h('div', { class: 'page' }, h('h1', {}, 'Inbox'), tabs(context, 'inbox', 'status', STATES, status, filter), filters(context, 'inbox', fields, { status }), actions && [actions.place, actions.progress], place);

  const columns = [
    { title: 'message', class: 'id', cell: (row) => link(context.address('inbox/message', { source: row.source, messageId: row.messageId }), {}, row.messageId) },
    { title: 'source', class: 'text', cell: (row) => name(row.source) },
    { title: 'topic', class: 'text', cell: (row) => name(row.topic) },
    { title: 'state', cell: (row) => badge(row.status, row.leased) },
    { title: 'attempts', class: 'number', cell: (row) => row.attempts },
    { title: 'first seen', cell: (row) => moment(row.createdAt) },
    { title: 'processed', cell: (row) => moment(row.processedAt) },
    { title: 'last error', class: 'error', cell: (row) => errorText(row.errorSnippet) },
  ];

  return {
    title: 'Inbox',
    element,
    async load() {
      const list = await get('/inbox', { db: context.db, status, ...filter, cursor: context.parameters.cursor, page: context.parameters.page }, context.signal);
      actions?.show(list.items);
      redraw(place, windowNote(list), table(columns, list.items, { empty: 'No message matches.', select: actions?.select }), pager(context, 'inbox', list, { status, ...filter }));
    },
  };
}
