import { get } from '../api.js';
import { h, link } from '../dom.js';
import { duration, number } from '../format.js';
import { moment, redraw, table } from '../parts.js';

export function nodes(context) {
  const place = h('div', {});
  return {
    title: 'Nodes',
    element: h('div', { class: 'page' }, h('h1', {}, 'Nodes and leases'), h('p', { class: 'note' }, 'Who holds events at this moment. A node that holds none is not seen here.'), place),
    async load() {
      const owners = await get('/nodes', { db: context.db }, context.signal);
      redraw(place, table([
        { title: 'owner', class: 'id', cell: (row) => link(context.address('events', { status: 'leased', owner: row.owner }), {}, row.owner) },
        { title: 'leases', class: 'number', cell: (row) => number(row.leases) },
        { title: 'oldest event', cell: (row) => duration(row.oldestEventMs) },
        { title: 'next lease ends', cell: (row) => moment(row.nextExpiry) },
      ], owners, { empty: 'No event is leased.' }));
    },
  };
}
