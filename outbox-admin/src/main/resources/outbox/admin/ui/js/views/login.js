import { h, toast } from '../dom.js';

export function login(context) {
  const token = h('input', { type: 'password', name: 'token', required: true, autocomplete: 'current-password' });
  async function submit(event) {
    event.preventDefault();
    const answer = await fetch('ui/login', { method: 'POST', headers: { 'Content-Type': 'application/json', 'X-Outbox-Action': '1' }, body: JSON.stringify({ token: token.value }), credentials: 'same-origin' });
    if (!answer.ok) {
      token.value = '';
      toast('This token is not known.', 'bad');
      return;
    }
    localStorage.setItem('outbox.login', 'yes');
    const to = context.parameters.to ?? '';
    location.assign(to.startsWith('/') && !to.startsWith('//') ? to : './');
  }
  setTimeout(() => token.focus());
  return {
    title: 'Sign in',
    live: false,
    element: h('form', { class: 'card login', onsubmit: submit }, h('h1', {}, 'Sign in'), h('p', { class: 'note' }, 'With a token of this server: one to look, or one to act.'), h('label', { class: 'field' }, 'Token', token), h('div', { class: 'actions' }, h('button', { class: 'primary', type: 'submit' }, 'Sign in'))),
  };
}
