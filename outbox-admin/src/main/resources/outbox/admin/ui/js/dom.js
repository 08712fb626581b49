// Elements are made by text, never by markup: what comes from the database is shown, never run.

export function h(name, attributes, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (key.startsWith('on')) element.addEventListener(key.slice(2), value);
    else if (key === 'value' || key === 'checked' || key === 'disabled' || key === 'indeterminate') element[key] = value;
    else element.setAttribute(key, value === true ? '' : value);
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

export function link(href, attributes, ...children) {
  return h('a', { href, 'data-link': true, ...attributes }, ...children);
}

export function replace(parent, ...children) {
  parent.replaceChildren(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
}

export function toast(text, kind = 'good') {
  const element = h('div', { class: `toast ${kind}` }, text);
  document.getElementById('toasts').append(element);
  setTimeout(() => element.remove(), kind === 'bad' ? 10000 : 5000);
}

// Resolves to what the form holds, or to null when it was left.
export function ask({ title, body, fields = [], confirm, danger = false }) {
  const dialog = document.getElementById('dialog');
  return new Promise((resolve) => {
    const inputs = fields.map((field) => h('input', { name: field.name, type: field.type ?? 'text', required: field.required ?? field.type !== 'checkbox', value: field.value ?? '', min: field.min, autocomplete: 'off' }));
    const form = h('form', { method: 'dialog', onsubmit: (event) => {
      event.preventDefault();
      finish(Object.fromEntries(inputs.map((input) => [input.name, input.type === 'checkbox' ? input.checked : input.value.trim()])));
    } },
      h('h2', {}, title),
      body && h('p', {}, body),
      fields.map((field, n) => field.type === 'checkbox' ? h('label', { class: 'choice' }, inputs[n], field.label) : h('label', { class: 'field' }, field.label, inputs[n])),
      h('div', { class: 'actions' },
        h('button', { type: 'button', class: 'quiet', onclick: () => finish(null) }, 'Cancel'),
        h('button', { type: 'submit', class: danger ? 'danger' : 'primary' }, confirm)));
    const finish = (answer) => { dialog.removeEventListener('cancel', leave); dialog.close(); resolve(answer); };
    const leave = (event) => { event.preventDefault(); finish(null); };
    dialog.addEventListener('cancel', leave);
    replace(dialog, form);
    dialog.showModal();
  });
}

export function show(title, ...children) {
  const dialog = document.getElementById('dialog');
  replace(dialog, h('form', { method: 'dialog' }, h('h2', {}, title), children, h('div', { class: 'actions' }, h('button', { class: 'primary' }, 'Close'))));
  dialog.showModal();
}
