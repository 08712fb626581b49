const BASE = document.querySelector('meta[name=outbox-api]').content;

export class ApiError extends Error {
  constructor(status, problem) {
    super(problem.detail || problem.title || `the server answered ${status}`);
    this.status = status;
    this.field = problem.field;
  }
}

async function call(method, path, parameters, body, signal) {
  const query = new URLSearchParams(Object.entries(parameters ?? {}).filter(([, value]) => value !== undefined && value !== null && value !== ''));
  const url = BASE + path + (query.size ? `?${query}` : '');
  const headers = { Accept: 'application/json' };
  if (method !== 'GET') headers['X-Outbox-Action'] = '1';
  if (body !== undefined) headers['Content-Type'] = 'application/json';
  let answer;
  try {
    answer = await fetch(url, { method, headers, body: body === undefined ? undefined : JSON.stringify(body), signal, credentials: 'same-origin' });
  } catch (e) {
    if (e.name === 'AbortError') throw e;
    throw new ApiError(0, { detail: 'the server cannot be reached' });
  }
  const text = await answer.text();
  let json = {};
  try {
    json = text ? JSON.parse(text) : {};
  } catch {
    if (answer.ok) throw new ApiError(answer.status, { detail: 'the server did not answer with JSON' });
  }
  if (!answer.ok) throw new ApiError(answer.status, json);
  return json;
}

export const get = (path, parameters, signal) => call('GET', path, parameters, undefined, signal);
export const post = (path, parameters, body) => call('POST', path, parameters, body);
export const segment = encodeURIComponent;
