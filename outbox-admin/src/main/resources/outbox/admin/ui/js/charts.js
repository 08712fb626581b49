/* global Chart */
import { h } from './dom.js';
import { clock, compact } from './format.js';

const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

// A card with a line chart; update(series) moves it on without drawing it anew.
export function chart(title, unit, lines, text = compact) {
  const canvas = h('canvas', { role: 'img', 'aria-label': title });
  const element = h('section', { class: 'card chart' }, h('h2', {}, title, h('small', {}, unit), lines.length > 1 && h('span', { class: 'legend' }, lines.map((line) => h('span', { class: line.colour.slice(2) }, line.label)))), h('div', { class: 'canvas' }, canvas));
  let drawn;
  const draw = () => new Chart(canvas, {
    type: 'line',
    data: { labels: [], datasets: lines.map((line) => ({ label: line.label, data: [], borderColor: colour(line.colour), backgroundColor: `${colour(line.colour)}22`, fill: lines.length === 1, borderWidth: 1.75, pointRadius: 0, pointHitRadius: 12, tension: 0.25 })) },
    options: {
      animation: false,
      responsive: true,
      maintainAspectRatio: false,
      interaction: { mode: 'index', intersect: false },
      font: { family: 'system-ui, sans-serif' },
      plugins: { legend: { display: false }, tooltip: { callbacks: { label: (item) => `${item.dataset.label}: ${text(item.parsed.y)}` } } },
      scales: {
        x: { ticks: { maxTicksLimit: 6, maxRotation: 0, autoSkipPadding: 18, color: colour('--dim') }, grid: { display: false }, border: { color: colour('--line') } },
        y: { beginAtZero: true, suggestedMax: 1, ticks: { maxTicksLimit: 5, precision: 0, color: colour('--dim'), callback: (value) => text(value) }, grid: { color: colour('--line') }, border: { display: false } },
      },
    },
  });
  return {
    element,
    update(series) {
      drawn ??= draw();
      drawn.data.labels = series.map((point) => clock(point.at));
      lines.forEach((line, n) => { drawn.data.datasets[n].data = series.map(line.value); });
      drawn.update('none');
    },
    destroy() { drawn?.destroy(); drawn = undefined; },
  };
}
