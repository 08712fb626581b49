import { h, toast } from '../dom.js';

// Only an address of this site: a browser reads "/\host" and "/<tab>/host" as "//host", which is another one.
function own(to) {
  if (!to.startsWith('/') || !URL.canParse(to, location.href)) return './';
  const address = new URL(to, location.href);
  return address.origin === location.origin ? address.href : './';
}

export function login(context) {
  const token = h('input', { type: 'password', name: 'token', required: true, autocomplete: 'current-password' });
  async function submit(event) {
    event.preventDefault();
    const answer = await fetch('ui/login', { method: 'POST', headers: { 'Content-Type': 'application/json', 'X-Outbox-Action': '1' }, body: JSON.stringify({ token: token.value }), credentials: 'same-origin' });
    if (!answer.ok) {
      token.value = '';
      const problem = await answer.json().catch(() => ({}));
      toast(problem.detail ?? 'The server did not answer.', 'bad');
      return;
    }
    localStorage.setItem('outbox.login', 'yes');
    location.assign(own(context.parameters.to ?? ''));
  }
  setTimeout(() => token.focus());
  return {
    title: 'Sign in',
    live: false,
    element: h('form', { class: 'card login', onsubmit: submit }, h('h1', {}, 'Sign in'), h('p', { class: 'note' }, 'With a token of this server: one to look, or one to act.'), h('label', { class: 'field' }, 'Token', token), h('div', { class: 'actions' }, h('button', { class: 'primary', type: 'submit' }, 'Sign in'))),
  };
}
