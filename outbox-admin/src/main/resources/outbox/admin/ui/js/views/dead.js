import { get } from '../api.js';
import { bulk } from '../bulk.js';
import { h, link } from '../dom.js';
import { errorText, FAILED_ONLY, failedListeners, filters, moment, name, pager, redraw, table } from '../parts.js';
import { filterOf, search, windowNote } from './events.js';

export function dead(context) {
  const fields = search('dead');
  const filter = filterOf(context.parameters, fields);
  const place = h('div', { class: 'stack' });
  const actions = bulk(context, { path: '/dead', filter, idOf: (row) => row.id, forReplay: { fields: [FAILED_ONLY] } });
  const element = h('div', { class: 'page' }, h('h1', {}, 'Dead letters'), filters(context, 'dead', fields), actions.place, actions.progress, place);

  const columns = [
    { title: 'event', class: 'id', cell: (row) => link(context.address(`events/${encodeURIComponent(row.id)}`), {}, row.id) },
    { title: 'topic', class: 'text', cell: (row) => name(row.topic) },
    { title: 'tenant', class: 'text', cell: (row) => name(row.tenant) },
    { title: 'attempts', class: 'number', cell: (row) => row.attempts },
    { title: 'created', cell: (row) => moment(row.createdAt) },
    { title: 'listener', class: 'text', cell: failedListeners },
    { title: 'error', class: 'error', cell: (row) => errorText(row.errorSnippet) },
  ];

  return {
    title: 'Dead letters',
    element,
    async load() {
      const list = await get('', { db: context.db, status: 'dead', ...filter, cursor: context.parameters.cursor, page: context.parameters.page }, context.signal);
      actions.show(list.items);
      redraw(place, windowNote(list), table(columns, list.items, { empty: 'No dead letters. As it should be.', select: actions.select }), pager(context, 'dead', list, filter));
    },
  };
}
