const NUMBER = new Intl.NumberFormat('en');
const COMPACT = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });

export const number = (value) => NUMBER.format(value);

export const compact = (value) => (value < 100000 ? NUMBER.format(value) : COMPACT.format(value));

// {value, atLeast}: a plus sign says that the counting stopped there; "0 or more" would tell nothing.
export const count = (bounded) => (bounded ? compact(bounded.value) + (bounded.atLeast && bounded.value ? '+' : '') : '–');

export function rate(perSecond) {
  if (perSecond === null || perSecond === undefined) return '–';
  return perSecond >= 100 ? number(Math.round(perSecond)) : perSecond.toFixed(perSecond >= 10 ? 1 : 2).replace(/\.?0+$/, '') || '0';
}

export const percent = (ratio) => `${(100 * ratio).toFixed(ratio > 0 && ratio < 0.01 ? 2 : 1).replace(/\.?0+$/, '') || 0} %`;

function parts(s, large, largeUnit, small, smallUnit) {
  const rest = Math.floor((s % large) / small);
  return `${Math.floor(s / large)} ${largeUnit}${rest ? ` ${rest} ${smallUnit}` : ''}`;
}

export function duration(ms) {
  if (ms === null || ms === undefined) return '–';
  if (ms > 0 && ms < 1000) return `${Math.round(ms)} ms`;
  const s = ms / 1000;
  if (s < 60) return `${s.toFixed(s < 10 ? 1 : 0).replace(/\.0$/, '')} s`;
  if (s < 3600) return parts(s, 60, 'min', 1, 's');
  if (s < 86400) return parts(s, 3600, 'h', 60, 'min');
  return parts(s, 86400, 'd', 3600, 'h');
}

// A short duration, where there is little room: 1m 48s.
export const short = (ms) => duration(ms).replace(/ (s|h|d)\b/g, '$1').replace(/ min/g, 'm');

export function bytes(value) {
  if (value === null || value === undefined) return '–';
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  let unit = 0;
  while (value >= 1024 && unit < units.length - 1) { value /= 1024; unit++; }
  return `${value.toFixed(unit && value < 10 ? 1 : 0)} ${units[unit]}`;
}

const two = (value) => String(value).padStart(2, '0');

export function time(iso) {
  if (!iso) return '–';
  const at = new Date(iso);
  const day = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
  return `${day} ${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`;
}

export const clock = (iso) => time(iso).slice(11);

export function ago(iso) {
  if (!iso) return '–';
  const ms = Date.now() - new Date(iso).getTime();
  const whole = duration(Math.floor(Math.abs(ms) / 1000) * 1000);
  if (Math.abs(ms) < 1000) return 'now';
  return ms >= 0 ? `${whole} ago` : `in ${whole}`;
}
