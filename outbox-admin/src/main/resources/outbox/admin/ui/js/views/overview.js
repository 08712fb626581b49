import { get } from '../api.js';
import { chart, SECONDS } from '../charts.js';
import { h, link, replace } from '../dom.js';
import { bytes, count, duration, percent, rate, short } from '../format.js';
import { facts, figure, name, redraw, table } from '../parts.js';

export const HEALTH = { OK: 'Healthy', DEGRADED: 'Degraded', UNHEALTHY: 'Unhealthy' };

export function overview(context) {
  const health = h('section', { class: 'health' });
  const figures = h('section', { class: 'figures', 'aria-label': 'Figures' });
  const groups = h('div', { class: 'two' });
  const database = h('div', {});
  const charts = [
    chart('Throughput', 'per second', [
      { label: 'processed', colour: '--good', value: (point) => point.processedPerSecond },
      { label: 'failed', colour: '--bad', value: (point) => point.failedPerSecond },
    ]),
    chart('Backlog', 'messages', [{ label: 'backlog', colour: '--accent', value: (point) => point.backlog }]),
    chart('Oldest pending', 'age', [{ label: 'age', colour: '--warn', value: (point) => point.oldestAgeMs / 1000 }], { text: (seconds) => short(1000 * seconds), steps: SECONDS }),
  ];
  const element = h('div', { class: 'page' }, h('h1', {}, 'Overview'), health, figures, h('div', { class: 'charts' }, charts.map((one) => one.element)), groups, database);

  function draw(data) {
    const now = data.snapshot;
    replace(health, h('p', { class: `verdict ${data.health.status.toLowerCase()}` }, h('strong', {}, HEALTH[data.health.status] ?? data.health.status), data.health.reasons.map((reason) => h('span', { class: 'reason' }, reason))));
    replace(figures,
      figure('Backlog', count(now.backlog), { href: context.address('events', { status: 'pending' }), note: `due, ${count(now.leased)} being worked on` }),
      figure('Scheduled', count(now.scheduled), { href: context.address('events', { status: 'scheduled' }), note: 'due later' }),
      figure('Dead letters', count(now.dead), { href: context.address('dead'), kind: now.dead.value ? 'bad' : 'good' }),
      figure('Failing', count(now.failedPending), { href: context.address('events', { status: 'failed' }), kind: now.failedPending.value ? 'warn' : '', note: now.oldFailures.value ? `${count(now.oldFailures)} for long` : undefined }),
      figure('Oldest pending', now.oldestAgeMs ? short(now.oldestAgeMs) : '–'),
      figure('Throughput', rate(now.throughputPerSecond), { note: 'per second' }),
      figure('Failure ratio', percent(now.failureRatio), { kind: now.failureRatio >= 0.1 ? 'warn' : '' }));
    charts.forEach((one) => one.update(data.series));
    redraw(groups, groupTable('Topics', 'topic', data.topics), groupTable('Tenants', 'tenant', data.tenants));
    replace(database, data.database && h('section', { class: 'card' }, h('h2', {}, 'Storage'), facts([
      ['Table', bytes(data.database.tableBytes)],
      ['Indexes', bytes(data.database.indexBytes)],
      ['Dead tuples', data.database.deadTuples?.toLocaleString('en')],
      ['Oldest snapshot', duration(data.database.oldestSnapshotMs)],
    ], { row: true })));
  }

  function groupTable(title, key, rows) {
    return h('section', { class: 'card' }, h('h2', {}, title), table([
      { title: key, class: 'text', cell: (row) => (row[key] ? link(context.address('events', { status: 'all', [key]: row[key] }), {}, name(row[key])) : h('span', { class: 'dim' }, '(none)')) },
      { title: 'backlog', class: 'number', cell: (row) => count(row.backlog) },
      { title: 'scheduled', class: 'number', cell: (row) => count(row.scheduled) },
      { title: 'failing', class: 'number', cell: (row) => count(row.failedPending) },
      { title: 'dead', class: 'number', cell: (row) => count(row.dead) },
      { title: 'oldest', class: 'number', cell: (row) => (row.oldestAgeMs ? short(row.oldestAgeMs) : '–') },
    ], rows, { compact: true, empty: 'Nothing pending, nothing dead.', rowClass: (row) => (row.dead.value ? 'bad' : row.failedPending.value ? 'warn' : null) }));
  }

  return {
    title: 'Overview',
    element,
    async load() {
      const data = await get('/overview', { db: context.db }, context.signal);
      draw(data);
      return { ageMs: data.ageMs, trouble: data.trouble };
    },
    close() { charts.forEach((one) => one.destroy()); },
  };
}
