import { get, ApiError } from './api.js';
import { h, link, replace, toast } from './dom.js';
import { duration } from './format.js';
import { help, keyboard } from './keyboard.js';
import { light } from './live.js';
import { overview } from './views/overview.js';
import { events } from './views/events.js';
import { event } from './views/event.js';
import { dead } from './views/dead.js';
import { inbox } from './views/inbox.js';
import { inboxMessage } from './views/inbox-message.js';
import { joins } from './views/joins.js';
import { join } from './views/join.js';
import { nodes } from './views/nodes.js';
import { databases } from './views/databases.js';
import { login } from './views/login.js';

const REFRESH_MS = 3000;

const NAV = [
  { path: '', title: 'Overview', key: 'o' },
  { path: 'events', title: 'Events', key: 'e' },
  { path: 'dead', title: 'Dead letters', key: 'd' },
  { path: 'inbox', title: 'Inbox', key: 'i', needs: 'inbox' },
  { path: 'joins', title: 'Joins', key: 'j', needs: 'joins' },
  { path: 'nodes', title: 'Nodes', key: 'n' },
  { path: 'databases', title: 'Databases', key: 'b' },
];

// Longest first: the first pattern that matches is the view.
const VIEWS = [
  [/^events\/([^/]+)$/, event],
  [/^events$/, events],
  [/^dead$/, dead],
  [/^inbox\/message$/, inboxMessage],
  [/^inbox$/, inbox],
  [/^joins\/([^/]+)$/, join],
  [/^joins$/, joins],
  [/^nodes$/, nodes],
  [/^databases$/, databases],
  [/^login$/, login],
  [/^$/, overview],
];

const root = new URL(document.baseURI).pathname;
const main = document.getElementById('view');
const app = { session: null, databases: [], live: localStorage.getItem('outbox.live') !== 'off' };
const live = light(document.getElementById('live'), document.getElementById('age'));
let current = null;
let timer = null;

const here = () => decodeURI(location.pathname).slice(root.length).replace(/\/$/, '');
const parameters = () => Object.fromEntries(new URLSearchParams(location.search));

function database() {
  const chosen = new URLSearchParams(location.search).get('db');
  return chosen ?? (app.databases.length > 1 ? app.databases[0].name : undefined);
}

// What a view gets: where it stands, how to move, and a place to draw.
function context(match) {
  const abort = new AbortController();
  return {
    session: app.session,
    databases: app.databases,
    db: database(),
    arguments: match.slice(1).map(decodeURIComponent),
    parameters: parameters(),
    signal: abort.signal,
    abort,
    go,
    address,
    main,
    refresh: () => refresh(true),
  };
}

// The address of a view, with the chosen database kept.
function address(path, query = {}) {
  const chosen = new URLSearchParams(location.search).get('db');
  const all = new URLSearchParams(Object.entries({ ...(chosen ? { db: chosen } : {}), ...query }).filter(([, value]) => value !== undefined && value !== null && value !== ''));
  return root + path + (all.size ? `?${all}` : '');
}

function go(to, { keep = false } = {}) {
  if (keep) history.replaceState(null, '', to);
  else history.pushState(null, '', to);
  open();
}

async function open() {
  current?.view.close?.();
  current?.context.abort.abort();
  clearTimeout(timer);
  const path = here();
  const found = VIEWS.map(([pattern, view]) => [path.match(pattern), view]).find(([match]) => match);
  drawNav(path);
  document.body.classList.toggle('out', path === 'login');
  banner(null);
  live.clear();
  if (!found) {
    document.title = 'Not found · Outbox';
    replace(main, h('div', { class: 'empty' }, h('h1', {}, 'There is no such page'), link(address(''), {}, 'To the overview')));
    current = null;
    return;
  }
  const [match, view] = found;
  const its = context(match);
  current = { context: its, view: view(its) };
  document.title = `${current.view.title} · Outbox`;
  replace(main, current.view.element);
  main.focus({ preventScroll: true });
  window.scrollTo(0, 0);
  await refresh(false);
}

async function refresh(asked) {
  clearTimeout(timer);
  const shown = current;
  if (!shown?.view.load) return;
  live.asks();
  try {
    const got = await shown.view.load(asked);
    if (shown !== current) return;
    live.got(got);
    banner(got?.trouble ? sentence(got.trouble) : null);
    if (!shown.view.element.isConnected) replace(main, shown.view.element);
  } catch (e) {
    if (e.name === 'AbortError' || shown !== current) return;
    if (e instanceof ApiError && e.status === 401) return go(address('login', { to: location.pathname + location.search }), { keep: true });
    if (e.status === 404) {
      live.got();
      missing(e.message);
    } else {
      live.fails(e.message);
      banner(sentence(e.message));
    }
    if (!(e instanceof ApiError)) console.error(e);
  }
  if (shown === current && app.live && shown.view.live !== false) timer = setTimeout(tick, REFRESH_MS);
}

function missing(text) {
  replace(main, h('div', { class: 'empty' }, h('h1', {}, text), h('p', {}, 'It may have been removed after its retention, or be in another database.'), link(address(''), {}, 'To the overview')));
}

// The page is hidden, a question is open, or the user marks a text to copy it: not now.
function tick() {
  if (document.hidden || document.getElementById('dialog').open || getSelection().type === 'Range') timer = setTimeout(tick, REFRESH_MS);
  else refresh(false);
}

function banner(text, kind = '') {
  const place = document.getElementById('banner');
  replace(place, text ? h('p', { class: `banner ${kind}` }, text) : null);
}

const sentence = (text) => text.charAt(0).toUpperCase() + text.slice(1) + (/[.!?]$/.test(text) ? '' : '.');

// An answer that is late is said to be, over what is shown or over an empty page.
function tellWait() {
  const open = live.waiting();
  const place = document.getElementById('banner');
  if (open !== null && !place.querySelector('.banner:not(.wait)')) banner(`The server has been asked, and has not answered for ${duration(1000 * Math.floor(open / 1000))}: a database may be slow or away.`, 'wait');
  else if (open === null && place.querySelector('.wait')) banner(null);
}

function drawNav(path) {
  const chosen = app.databases.find((one) => one.name === database()) ?? app.databases[0];
  replace(document.getElementById('nav'), NAV.filter((item) => !item.needs || !chosen || chosen[item.needs]).map((item) => {
    const active = item.path === path.split('/')[0];
    return link(address(item.path), { 'aria-current': active ? 'page' : null, title: `g ${item.key}` }, item.title);
  }));
  document.querySelector('#nav [aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'center' });
  const select = document.getElementById('database');
  select.hidden = app.databases.length < 2;
  replace(select, app.databases.map((one) => h('option', { value: one.name, selected: one.name === database() }, one.name)));
  select.value = database() ?? '';
}

function drawUser() {
  const { user, canWrite } = app.session ?? {};
  document.getElementById('leave').hidden = !localStorage.getItem('outbox.login');
  replace(document.getElementById('user'), user ? [user, canWrite ? '' : ' · read-only'] : '');
}

async function signOut() {
  localStorage.removeItem('outbox.login');
  await fetch('ui/logout', { method: 'POST', headers: { 'X-Outbox-Action': '1' }, credentials: 'same-origin' });
  location.assign(`${root}login`);
}

function toggleLive() {
  app.live = !app.live;
  localStorage.setItem('outbox.live', app.live ? 'on' : 'off');
  live.on(app.live);
  if (app.live) refresh(false);
  else clearTimeout(timer);
}

function toggleTheme() {
  const rootElement = document.documentElement;
  const dark = rootElement.dataset.theme ? rootElement.dataset.theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
  rootElement.dataset.theme = dark ? 'light' : 'dark';
  localStorage.setItem('outbox.theme', rootElement.dataset.theme);
  open();
}

function followLinks(event) {
  const target = event.target.closest('a[data-link]');
  if (!target || event.defaultPrevented || event.button || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  go(target.pathname + target.search);
}

async function start() {
  document.addEventListener('click', followLinks);
  document.addEventListener('keydown', keyboard(NAV, { view: (path) => go(address(path)), refresh: () => refresh(true), toggleLive, toggleTheme }));
  window.addEventListener('popstate', open);
  document.getElementById('live').addEventListener('click', toggleLive);
  document.getElementById('theme').addEventListener('click', toggleTheme);
  document.getElementById('help').addEventListener('click', () => help(NAV));
  document.getElementById('database').addEventListener('change', (event) => {
    const query = new URLSearchParams({ db: event.target.value });
    go(`${root}${here().split('/')[0]}?${query}`);
  });
  document.getElementById('leave').addEventListener('click', signOut);
  live.on(app.live);
  setInterval(tellWait, 1000);
  live.asks();
  try {
    app.session = await get('/session');
    drawUser();
    app.databases = await get('/databases');
  } catch (e) {
    if (e.status === 401 && here() !== 'login') history.replaceState(null, '', `${root}login?to=${encodeURIComponent(location.pathname + location.search)}`);
    else if (e.status !== 401) toast(e.message, 'bad');
  }
  await open();
}

start();
