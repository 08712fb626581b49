/* global Chart */
import { h } from './dom.js';
import { clock, compact } from './format.js';

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

// Steps of an axis of durations or of times of day, in seconds, so that its ticks are round ones.
export const SECONDS = [1, 2, 5, 10, 15, 30, MINUTE, 2 * MINUTE, 5 * MINUTE, 10 * MINUTE, 15 * MINUTE, 30 * MINUTE, HOUR, 2 * HOUR, 3 * HOUR, 6 * HOUR, 12 * HOUR, DAY];

const MOST_TICKS = 5;

// The smallest step that makes no more ticks than fit; beyond the largest, whole multiples of it.
function stepOf(range, steps) {
  const last = steps[steps.length - 1];
  return steps.find((step) => range / step <= MOST_TICKS) ?? last * Math.ceil(range / last / MOST_TICKS);
}

function ticks(from, to, step) {
  const values = [];
  for (let value = Math.ceil(from / step) * step; value <= to; value += step) values.push({ value });
  return values;
}

// Local times of day: a step of an hour is a whole hour here, also where the zone is off by half of one.
function timeTicks(axis) {
  const offset = 60000 * new Date(axis.max).getTimezoneOffset();
  const step = 1000 * stepOf((axis.max - axis.min) / 1000, SECONDS);
  axis.ticks = ticks(axis.min - offset, axis.max - offset, step).map(({ value }) => ({ value: value + offset }));
}

function durationTicks(axis, steps) {
  const longest = Math.max(1, ...axis.chart.data.datasets.flatMap(({ data }) => data.map((point) => point.y)));
  const step = stepOf(longest, steps);
  axis.max = step * Math.ceil(longest / step);
  axis.ticks = ticks(0, axis.max, step);
}

// Seconds only where ticks are less than a minute apart.
const timeOfDay = (value, n, all) => clock(value).slice(0, all.length > 1 && (all[1].value - all[0].value) % 60000 ? 8 : 5);

const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

// A card with a line chart; update(series) moves it on without drawing it again.
export function chart(title, unit, lines, { text = compact, steps } = {}) {
  const canvas = h('canvas', { role: 'img', 'aria-label': title });
  const element = h('section', { class: 'card chart' }, h('h2', {}, title, h('small', {}, unit), lines.length > 1 && h('span', { class: 'legend' }, lines.map((line) => h('span', { class: line.colour.slice(2) }, line.label)))), h('div', { class: 'canvas' }, canvas));
  let drawn;
  const draw = () => new Chart(canvas, {
    type: 'line',
    data: { datasets: lines.map((line) => ({ label: line.label, data: [], borderColor: colour(line.colour), backgroundColor: `${colour(line.colour)}22`, fill: lines.length === 1, borderWidth: 1.75, pointRadius: 0, pointHitRadius: 12, tension: 0.25 })) },
    options: {
      animation: false,
      responsive: true,
      maintainAspectRatio: false,
      interaction: { mode: 'index', intersect: false },
      font: { family: 'system-ui, sans-serif' },
      plugins: { legend: { display: false }, tooltip: { callbacks: { title: (items) => (items.length ? clock(items[0].parsed.x) : ''), label: (item) => `${item.dataset.label}: ${text(item.parsed.y)}` } } },
      scales: {
        x: { type: 'linear', afterBuildTicks: timeTicks, ticks: { maxRotation: 0, autoSkip: false, color: colour('--dim'), callback: timeOfDay }, grid: { display: false }, border: { color: colour('--line') } },
        y: { beginAtZero: true, suggestedMax: 1, ...(steps && { afterBuildTicks: (axis) => durationTicks(axis, steps) }), ticks: { maxTicksLimit: 5, autoSkip: !steps, precision: 0, color: colour('--dim'), callback: (value) => text(value) }, grid: { color: colour('--line') }, border: { display: false } },
      },
    },
  });
  return {
    element,
    update(series) {
      drawn ??= draw();
      const times = series.map((point) => Date.parse(point.at));
      const last = times[times.length - 1] ?? Date.now();
      drawn.options.scales.x.min = Math.min(times[0] ?? last, last - 1000 * MINUTE);
      drawn.options.scales.x.max = last;
      lines.forEach((line, n) => { drawn.data.datasets[n].data = series.map((point, at) => ({ x: times[at], y: line.value(point) })); });
      drawn.update('none');
    },
    destroy() { drawn?.destroy(); drawn = undefined; },
  };
}
