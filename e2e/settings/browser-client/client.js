// A client that knows nothing of this product but the documented sequence (API page "Client behaviour"): log-in with start data,
// manifests, settings, folders, batches, a month, contacts, log-out.
const COMMON = {
  client: 'open-xchange-appsuite',
  version: '7.10.4',
  rampup: 'true',
  rampUpFor: 'open-xchange-appsuite',
};
const TREES = ['caldav', 'calendar', 'contacts', 'core', 'core/updates', 'files', 'mail', 'tasks'];
const FOLDER_COLUMNS = '1,2,3,4,5,6,20,23,51,52,300,301,302,304,305,306,307,308,314,315,316,3010,3020,3050,3203,3204';
const DAY = 86_400_000;
const element = (id) => document.getElementById(id);
let session = '';

async function call(method, module, parameters, body, type = 'text/javascript; charset=UTF-8') {
  const query = new URLSearchParams({ ...(session && { session }), ...parameters });
  const headers = body === undefined ? {} : { 'content-type': type };
  const sent = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
  const response = await fetch(`api/${module}?${query}`, { method, headers, body: sent });
  return response.json();
}
const post = (form) =>
  call('POST', 'login', {}, String(new URLSearchParams(form)), 'application/x-www-form-urlencoded');

function show(id, texts) {
  element(id).replaceChildren(
    ...texts.map((text) => Object.assign(document.createElement('li'), { textContent: text })),
  );
}

async function showForm() {
  session = '';
  const { data } = await call('GET', 'apps/manifests', { action: 'config', version: COMMON.version });
  const languages = Array.isArray(data.languages) ? data.languages : Object.entries(data.languages);
  const select = document.querySelector('select');
  select.replaceChildren(
    ...languages.map(([value, textContent]) =>
      Object.assign(document.createElement('option'), { value, textContent, selected: value === 'en_US' }),
    ),
  );
  document.title = data.pageTitle;
  element('desktop').hidden = true;
  element('form').hidden = false;
}

/** Batches must be answered in full, and `null` is no answer. */
async function multiple(questions) {
  const answers = await call('PUT', 'multiple', { continue: true }, questions);
  if (answers.length !== questions.length || answers.includes(null)) throw new Error('a batch that is not answered');
  const failed = answers.filter(({ error, category }) => error && category !== 13);
  element('failures').textContent += failed.map(({ code }) => code).join();
  return answers;
}

const basic = (time) => `${new Date(time).toISOString().slice(0, 19).replace(/[-:]/g, '')}Z`;
const monthRange = () => {
  const start = Date.UTC(new Date().getUTCFullYear(), new Date().getUTCMonth(), 1);
  return { rangeStart: basic(start - 7 * DAY), rangeEnd: basic(start + 35 * DAY) };
};

async function showDesktop({ session: opened, user, rampup }) {
  session = opened;
  if (rampup.errors) throw new Error(JSON.stringify(rampup.errors));
  document.querySelector('h1').textContent = `${user}: ${rampup.user.display_name}`;
  const boot = await multiple([
    ...TREES.map((name) => ({ module: 'jslob', action: 'list', data: [`io.ox/${name}`] })),
    { module: 'apps/manifests', action: 'config' },
    { module: 'oauth/accounts', action: 'all' },
    { module: 'oauth/services', action: 'all' },
    { module: 'onboarding', action: 'config' },
    { module: 'user', action: 'get', data: {} },
    { module: 'account', action: 'all' },
  ]);
  const core = boot[3].data[0].tree;
  element('theme').textContent = core.theme ?? '';
  const lists = await multiple(
    ['event', 'contacts'].map((type) => ({
      ...{ module: 'folders', action: 'allVisible', content_type: type, columns: FOLDER_COLUMNS },
      ...{ tree: 1, altNames: true, timezone: 'UTC' },
    })),
  );
  const [calendars, books] = lists.map(({ data }) => Object.values(data).flat());
  const title = FOLDER_COLUMNS.split(',').indexOf('300');
  show(
    'folders',
    [...calendars, ...books].map((row) => `${row[0]} ${row[title]}`),
  );
  await showMonth(calendars.map(([id]) => id));
  const contacts = await call('GET', 'contacts', { action: 'all', folder: core.folder.contacts, columns: '1,20,500' });
  show(
    'contacts',
    contacts.data.map((row) => row[2]),
  );
  await call('PUT', 'jslob', { action: 'update', id: 'io.ox/core' }, { theme: 'dark' });
  element('refresh').onclick = () => showMonth(calendars.map(([id]) => id));
  element('form').hidden = true;
  element('desktop').hidden = false;
}

async function showMonth(folders) {
  const fields = 'lastModified,color,createdBy,endDate,flags,folder,id,location,recurrenceId,rrule,startDate,summary';
  const parameters = { action: 'all', ...monthRange(), fields, expand: true, sort: 'startDate', order: 'asc' };
  const answer = await call('PUT', 'chronos', parameters, { folders });
  if (answer.code?.startsWith('SES-')) return showForm();
  show(
    'month',
    answer.data.flatMap(({ events }) => events ?? []).map(({ summary }) => summary),
  );
}

element('form').onsubmit = async (event) => {
  event.preventDefault();
  const { name, password, language } = Object.fromEntries(new FormData(event.target));
  const answer = await post({ action: 'login', name, password, locale: language, timeout: '10000', ...COMMON });
  element('refusal').textContent = answer.code ?? '';
  if (!answer.error) await showDesktop(answer);
};
element('logout').onclick = async () => {
  const body = String(new URLSearchParams({ action: 'logout' }));
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  await fetch(`api/login?${new URLSearchParams({ session })}`, { method: 'POST', headers, body });
  // As a client does that was not told: its next call says that it must log in again.
  await element('refresh').onclick();
};

const found = await call('GET', 'login', { action: 'autologin', ...COMMON });
if (found.error) await showForm();
else await showDesktop(found);
