import { get } from '../api.js';
import { h, link } from '../dom.js';
import { errorText, redraw, table } from '../parts.js';
import { HEALTH } from './overview.js';

const BADGES = { OK: 'done', DEGRADED: 'retry', UNHEALTHY: 'dead' };

export function databases(context) {
  const place = h('div', {});
  const yes = (value) => (value ? 'yes' : '–');
  return {
    title: 'Databases',
    element: h('div', { class: 'page' }, h('h1', {}, 'Databases'), place),
    async load() {
      const all = await get('/databases', {}, context.signal);
      redraw(place, table([
        { title: 'name', class: 'text', cell: (row) => link(context.address('', { db: row.name }), {}, row.name) },
        { title: 'product', class: 'text', cell: (row) => row.product ?? '–' },
        { title: 'health', cell: (row) => h('span', { class: `badge ${BADGES[row.health] ?? ''}` }, HEALTH[row.health] ?? row.health) },
        { title: 'inbox', cell: (row) => yes(row.inbox) },
        { title: 'joins', cell: (row) => yes(row.joins) },
        { title: 'trouble', class: 'error', cell: (row) => errorText(row.error) },
      ], all, { empty: 'No database.' }));
      const late = all.filter((row) => row.error && row.ageMs !== null);
      return { ageMs: Math.max(0, ...all.map((row) => row.ageMs ?? 0)), trouble: late.map((row) => `${row.name}: ${row.error}`).join('; ') || null };
    },
  };
}
