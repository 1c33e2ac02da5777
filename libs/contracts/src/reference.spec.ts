import { readFileSync } from 'node:fs';
import path from 'node:path';
import { allErrors, CATEGORIES, fieldsOf, operations, pathOf } from './index';

const reference = <T>(name: string): T =>
  JSON.parse(readFileSync(path.join(__dirname, '..', 'reference', `${name}.json`), 'utf8')) as T;

interface ReferenceOperation {
  module: string;
  action: string | null;
  path: string;
  method: string;
  params: { name: string; in: string; required: boolean }[];
  body: string | null;
}
interface ReferenceColumn {
  id: number | null;
  name: string;
}

const known = reference<ReferenceOperation[]>('operations');
const columns = reference<Record<string, ReferenceColumn[]>>('columns');
const errors = reference<{ code: string; categoryNumber: number }[]>('errors');

/** Module calls that only newer or older releases know, with the reason we have them. */
const ADDITIONS: Record<string, string> = {
  'GET rss.': 'the texts of the API have both methods',
  'PUT rss.': 'its addresses may stand in the body, as the texts of the API say',
  'login.hasAutologin': 'kept by the product for old clients; listed in the login notes',
  'login.anonymous': 'listed in the login notes',
  'login.guest': 'listed in the login notes',
  'login.oidcLogin': 'listed in the login notes',
  'login.oidcLogout': 'listed in the login notes',
  'login.rampup': 'listed in the login notes',
  'passwordchange.renew': 'new: users whose password expired get no session in which to change it',
  'passwordchange.redeem': 'new: users whom an import invited have no password to log in with',
  'pns.events': 'new: streams that replace the socket of the original product',
  'pns.webPushKey': 'new: Web Push, which the original product does not have',
  'pns.socket': 'new: streams that replace the socket of the original product',
  'share.': 'links of shares, a path of the login notes',
  'share/reset/password.': 'named by the sharing notes',
  'login/httpAuth.': 'a path below login, listed in the login notes',
  'user.me': 'applications call `user/me` so (scenario SO-32)',
  'PUT chronos/alarm.ack': 'clients call it so (page "Client behaviour", 1)',
  'PUT chronos/alarm.snooze': 'clients call it so (page "Client behaviour", 1)',
  'chronos/itip.accept_party_crasher':
    'an analysis answers it, and clients call what it answers (page "Scheduling", H8)',
  'chronos/itip.cancel': 'the other name of delete (page "Scheduling", H8)',
  'chronos/itip.counter': 'an analysis answers it, and clients call what it answers (page "Scheduling", H8)',
  'chronos/itip.delegate': 'an analysis answers it, and clients call what it answers (page "Scheduling", H8)',
  'chronos/itip.delete': 'an analysis answers it, and clients call what it answers (page "Scheduling", H8)',
  'chronos/itip.declinecounter': 'an analysis answers it, and clients call what it answers (page "Scheduling", H8)',
  'chronos/itip.refresh': 'an analysis answers it, and clients call what it answers (page "Scheduling", H8)',
  'chronos/itip.ignore': 'an analysis answers it, and clients call what it answers (page "Scheduling", H8)',
  'GET attachment.zipDocuments': 'listed in the attachment notes: later releases take it as a link',
  'PUT folders.allVisible': 'listed in the folder notes: older texts of the API have it',
  'POST user.update': 'the notes on columns: images go through multipart, as clients of the original product send it',
  'login.redeem': 'named by the login notes and by conformance scenario SL-15',
  'apps/manifests.config': 'what the web client of the original loads first (page "Client behaviour", 2.1)',
  'apps/manifests.all': 'named by the page "Platform", system and boot',
  'recovery/secret.check': 'clients ask it when they start (page "Client behaviour", 2.4)',
  'subscriptions.all': 'clients ask it when they start (page "Client behaviour", 11)',
  'mail.archive': 'clients archive by it (page "Client behaviour", section 8)',
  'mail.archive_folder': 'clients archive by it (page "Client behaviour", section 8)',
  'mail.expunge': 'clients ask it (page "Client behaviour", section 8)',
  'oidc/auth.': 'the provider sends browsers there (page "Single sign-on")',
  'oidc/backchannel.': 'the provider reports logouts there (OpenID Connect Back-Channel Logout 1.0)',
  'PUT mail.thread_references': 'clients that send no body by GET (page "Mail", section "Listing")',
  'PUT mail.forward': 'several mails are forwarded by a list, as the notes on mails to write say',
  'defer.': 'services elsewhere send browsers there (page "Single sign-on")',
  'GET oauth/accounts.create': 'the browser that comes back from a service calls it so (page "Single sign-on")',
  'GET oauth/accounts.reauthorize': 'the browser that comes back from a service calls it so (page "Single sign-on")',
  'oauth/provider/authorization.': 'OAuth provider (page "Single sign-on")',
  'oauth/provider/accessToken.': 'OAuth provider (page "Single sign-on")',
  'oauth/provider/revoke.': 'OAuth provider (page "Single sign-on")',
  'oauth/provider/tokeninfo.': 'OAuth provider (page "Single sign-on")',
  'image/contact/picture.': 'the address that image1_url names',
  'subscriptionSources.all': 'clients ask it when they start (page "Client behaviour", 11)',
  'PATCH mail/compose/{id}.': 'newer clients call it so (page "Client behaviour", 1)',
  'mail/compose.all': 'newer clients ask it when they start (page "Client behaviour", 2.5)',
  'image/mail/compose/image.': 'the address of pictures in the text of a mail that is written',
  'image/snippet/image.': 'the address of pictures in signatures (page "Mail extras")',
  'files.new': 'new: existing clients do not call it',
  'files.get': 'new: existing clients do not call it',
};

/** Bodies that the reference does not tell of. */
const BODY_ADDITIONS = new Set(['mail/compose/{id}/save.']);

/** Codes that the public API uses twice, with different categories (page "Errors", section SVL). */
const SECOND_ENUMERATION = new Set(['SVL-0003']);

/** Codes whose category the API makes depend on the case: of ours, all are what a user supplied. */
const CATEGORY_BY_CASE = new Set(['FLD-0044']);

/** Columns that clients ask for and the tables lack (page "Client behaviour", section 4). */
const COLUMN_ADDITIONS = new Set(['folders: 51', 'folders: 52', 'folders: 3050']);

/** Tables of `columns` by the module that lists its objects by columns. */
const columnTables = reference<Record<string, string>>('column-tables');

describe('contracts against the reference of the public API', () => {
  const actions = operations.filter((operation) => operation.kind === 'action');

  it.each(actions.map((operation) => [`${operation.module}.${operation.action ?? ''}`, operation] as const))(
    '%s has the method and the required parameters of the reference',
    (name, operation) => {
      const same = known.filter((entry) =>
        operation.action === null
          ? entry.path === `/${operation.module}${operation.tail ? '/{path}' : ''}`
          : entry.module === operation.module && entry.action === operation.action,
      );
      if (same.length === 0) {
        expect(Object.keys(ADDITIONS)).toContain(name);
        return;
      }
      // A known action by a further method.
      if (Object.hasOwn(ADDITIONS, `${operation.http} ${name}`)) return;
      expect(same.map((entry) => entry.method)).toContain(operation.http);
      const entry = same.find((candidate) => candidate.method === operation.http)!;
      const declared = new Map(
        [operation.query, operation.body?.model].flatMap((model) =>
          model ? fieldsOf(model).map((field) => [field.wireName, field] as const) : [],
        ),
      );
      for (const parameter of entry.params) {
        if (parameter.name === 'session' || parameter.name === 'file') continue;
        // Uploads without a model take numbered fields (`json_0`, `file_0` …) and read them in their handler.
        if (parameter.in === 'form' && operation.body?.kind === 'upload' && !operation.body.model) continue;
        if (parameter.required)
          expect({ parameter: parameter.name, declared: declared.has(parameter.name) }).toEqual({
            parameter: parameter.name,
            declared: true,
          });
      }
      expect(Boolean(operation.body)).toBe(
        Boolean(entry.body) || entry.params.some((parameter) => parameter.in === 'form') || BODY_ADDITIONS.has(name),
      );
    },
  );

  it('gives every column the number and name of the reference', () => {
    const wrong: string[] = [];
    for (const operation of actions) {
      const table = columns[columnTables[operation.module] ?? ''];
      if (!table || operation.reply.kind !== 'rows' || !operation.reply.model) continue;
      for (const field of fieldsOf(operation.reply.model)) {
        if (field.column === undefined || COLUMN_ADDITIONS.has(`${operation.module}: ${field.column}`)) continue;
        if (!table.some((column) => column.id === field.column && column.name === field.wireName))
          wrong.push(`${operation.module}: ${field.column} ${field.wireName}`);
      }
    }
    expect([...new Set(wrong)]).toEqual([]);
  });

  it('uses error codes with the categories of the reference', () => {
    const wrong = allErrors()
      .filter(({ code }) => !SECOND_ENUMERATION.has(code) && !CATEGORY_BY_CASE.has(code))
      .map((entry) => ({ entry, rows: errors.filter((row) => row.code === entry.code) }))
      .filter(
        ({ entry, rows }) => rows.length > 0 && !rows.some((row) => row.categoryNumber === CATEGORIES[entry.category]),
      )
      .map(({ entry }) => `${entry.key} ${entry.code} ${entry.category}`);
    expect(wrong).toEqual([]);
  });

  it('never uses a code for two meanings, except where the public API does', () => {
    const codes = allErrors().map((entry) => entry.code);
    expect(codes.filter((code, index) => codes.indexOf(code) !== index && !SECOND_ENUMERATION.has(code))).toEqual([]);
  });

  it('declares no two operations on one URL and method', () => {
    const urls = operations
      .filter((operation) => operation.kind !== 'internal')
      .map((operation) => `${operation.http} ${pathOf(operation)}`);
    expect(urls.filter((url, index) => urls.indexOf(url) !== index)).toEqual([]);
    const subjects = operations.map((operation) => operation.subject);
    expect(new Set(subjects).size).toBe(subjects.length);
  });
});
