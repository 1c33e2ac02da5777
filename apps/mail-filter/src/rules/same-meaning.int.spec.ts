import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { UserPrincipal } from '@groupware/contracts';
import fc from 'fast-check';
import { FilterRules } from './filter-rules';

/** How many scripts are drawn. */
const SCRIPTS = Number(process.env.SIEVE_SCRIPTS ?? 40);
/** How many run at the same time. */
const AT_ONCE = 4;

const EXTENSIONS = [
  ...['fileinto', 'envelope', 'imap4flags', 'copy', 'body', 'relational', 'date', 'regex', 'subaddress'],
  ...['vacation', 'reject', 'variables', 'encoded-character', 'mailbox'],
];
const server = { extensions: new Set(EXTENSIONS), mechanisms: new Set<string>(), notify: [], hasStartTls: true };

const MAILS = [
  ['From: "Ann" <ann+list@a.example>', 'To: bob@b.example', 'Subject: News of "today"', 'List-Id: <news.a.example>'],
  [
    'From: zoe@far.test',
    'To: ann@a.example, bob@b.example',
    'Cc: cee@c.example',
    'Subject: Gr=?UTF-8?Q?=C3=BC=C3=9Fe?=',
  ],
  [
    'From: zoe@far.test',
    'To: bob@b.example',
    'Subject: a*b\\c',
    'X-Spam: yes',
    'Date: Mon, 05 Jan 2026 10:00:00 +0100',
  ],
].map(
  (headers, index) => `${[...headers, '', `Text ${index} with news`, '.', 'x'.repeat(index * 3_000)].join('\r\n')}\r\n`,
);

const quoted = (text: string) => `"${text.replace(/[\\"]/g, '\\$&')}"`;
const word = fc.constantFrom('news', 'today', 'a*b\\c', '*', 'Gr*', 'yes', '"today"', 'a.example', 'Grüße', 'n?ws', '');
const words = fc.uniqueArray(word, { minLength: 1, maxLength: 3 });
const listOf = (values: readonly string[]) =>
  values.length === 1 ? quoted(values[0]!) : `[${values.map(quoted).join(', ')}]`;
const header = fc.constantFrom('Subject', 'list-id', 'X-Spam', 'From', 'To');
const comparison = fc.constantFrom(':is', ':contains', ':matches', ':Contains');
const plain = fc.oneof(
  fc.tuple(comparison, header, words).map(([kind, name, values]) => `header ${kind} ${quoted(name)} ${listOf(values)}`),
  fc.tuple(header, words).map(([name, values]) => `HEADER :contains [${quoted(name)}] ${listOf(values)}`),
  fc.constantFrom(
    'header :regex "Subject" "^(News|a).*"',
    'header :comparator "i;octet" :contains "Subject" "News"',
    'size :over 3K',
    'size :under 100',
    'exists ["X-Spam", "Subject"]',
    'exists "List-Id"',
    'true',
    'false',
    'body :text :contains "news"',
    'body :content "text" :contains "Text 1"',
    'envelope :is "from" "sender@far.test"',
    'envelope :domain :is "to" ["b.example"]',
    'address :domain :is ["From"] ["far.test"]',
    'address :localpart :contains ["To", "Cc"] "bob"',
    'address :user :is "From" "ann"',
    'date :zone "+0100" :value "ge" "date" "date" ["2026-01-01"]',
    'currentdate :value "ge" "date" ["2020-01-01"]',
    'currentdate :zone "+0000" :value "le" "date" ["2020-01-01"]',
    'hasflag :is "\\\\Seen"',
  ),
);
const { condition } = fc.letrec<{ condition: string }>((tie) => ({
  condition: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    plain,
    tie('condition').map((each) => `not ${each}`),
    fc
      .tuple(fc.constantFrom('allof', 'anyof'), fc.array(tie('condition'), { minLength: 1, maxLength: 3 }))
      .map(([kind, tests]) => `${kind} (${tests.join(', ')})`),
  ),
}));
const action = fc.constantFrom(
  'keep;',
  'discard;',
  'fileinto "Archive";',
  'fileinto :copy "INBOX/Büro";',
  'fileinto :create "New";',
  'redirect "a@far.test";',
  'redirect :copy "b@far.test";',
  'addflag "\\\\Seen";',
  'addflag ["$cl_1", "\\\\Flagged"];',
  'setflag "$cl_2";',
  'removeflag "\\\\Seen";',
  'stop ;',
  'vacation :days 7 :addresses ["bob@b.example"] :subject "Away" "Not here";',
  'vacation text:\r\nTwo\r\n..\r\nlines\r\n.\r\n;',
  'keep; # and a comment',
  '/* a comment */ stop;',
);
const actions = fc.array(action, { minLength: 1, maxLength: 3 });
const blockOf = (test: string, commands: readonly string[]) =>
  `if ${test}\r\n{\r\n    ${commands.join('\r\n    ')}\r\n}\r\n`;
const rule = fc.tuple(condition, actions).map(([test, commands]) => blockOf(test, commands));
const lines = (text: string, prefix: string) => text.replace(/^(?=[^\r\n])/gm, prefix);
const piece = fc.oneof(
  { weight: 4, arbitrary: rule },
  {
    weight: 3,
    arbitrary: fc
      .tuple(fc.nat({ max: 20 }), rule)
      .map(([id, text]) => `## Flag: |UniqueId:${id}|Rulename: r${id}\r\n${text}`),
  },
  {
    weight: 1,
    // A comment of several lines ends a rule that is a comment itself.
    arbitrary: fc
      .tuple(condition, fc.constantFrom('keep;', 'discard;', 'fileinto "Archive";'))
      .map(
        ([test, command]) => `## Flag: x1|UniqueId:30|Rulename: off\r\n${lines(blockOf(test, [command]), '#<!-->')}`,
      ),
  },
  {
    weight: 1,
    arbitrary: fc
      .tuple(rule, condition, actions)
      .map(([first, test, commands]) => `${first}els${blockOf(test, commands)}else { keep; }\r\n`),
  },
  { weight: 1, arbitrary: fc.tuple(condition, rule).map(([test, inner]) => blockOf(test, [inner])) },
  { weight: 1, arbitrary: action.map((each) => `${each}\r\n`) },
  { weight: 1, arbitrary: fc.constantFrom('# said by somebody\r\n', '\r\n\r\n', '/* if true\r\n{ discard; } */\r\n') },
);
const script = fc
  .tuple(fc.boolean(), fc.array(piece, { minLength: 1, maxLength: 5 }))
  .map(
    ([isOurs, pieces]) =>
      `${isOurs ? '# Generated by X on a day\r\n' : '# theirs\r\n'}require [${EXTENSIONS.map(quoted).join(', ')}];\r\n\r\n${pieces.join('')}`,
  );

const rulesOf = (text: string) =>
  new FilterRules(text, {
    principal: { contextId: 1, userId: 2 } as UserPrincipal,
    generation: 'v2',
    settings: { redirectWhitelist: [], vacationDomains: [] },
  });

/** The script after a client sent back, as JSON, the rules that it can edit and `isTouched` chooses. */
function sentBack(text: string, isTouched: (position: number) => boolean): string {
  const rules = rulesOf(text);
  for (const listed of JSON.parse(JSON.stringify(rules.list()))) {
    if ('errormsg' in listed || !isTouched(listed.position)) continue;
    rules.update({ id: listed.id, test: listed.test, actioncmds: listed.actioncmds }, server);
  }
  return rules.write(server);
}

/** Without the line ends, marks and heads that no rule owns. */
const bodiesOf = (text: string) =>
  rulesOf(text)
    .list()
    .map((each) => ('errormsg' in each ? each.text : JSON.stringify([each.test, each.actioncmds, each.active])));

let base: string;
beforeAll(() => {
  base = mkdtempSync(path.join(os.tmpdir(), 'sieve-'));
  chmodSync(base, 0o777);
  for (const [index, mail] of MAILS.entries()) writeFileSync(path.join(base, `${index}.eml`), mail);
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

/** Effects of a script on each of the mails, by Pigeonhole. */
async function effectsOf(name: string, text: string): Promise<string[]> {
  const root = process.env.DOVECOT_ROOT;
  if (!root) throw new Error(`there is no Dovecot: ${process.env.DOVECOT_MISSING ?? 'DOVECOT_ROOT is not set'}`);
  const folder = path.join(base, name);
  mkdirSync(folder);
  chmodSync(folder, 0o777);
  writeFileSync(path.join(folder, 'script.sieve'), text);
  const libraries = ['usr/lib', 'usr/lib/x86_64-linux-gnu', 'usr/lib/aarch64-linux-gnu', 'lib', 'usr/lib/dovecot'];
  const isRoot = process.getuid?.() === 0;
  const env = {
    LD_LIBRARY_PATH: libraries.map((each) => path.join(root, each)).join(':'),
    // Its configuration comes from these variables alone.
    DOVECONF_ENV: '1',
    HOME: folder,
    ...(isRoot ? { MAIL_UID: 'nobody', MAIL_GID: 'nogroup' } : {}),
  };
  const effects: string[] = [];
  for (const index of MAILS.keys()) {
    const args = ['-l', `maildir:${folder}/mail`, '-f', 'sender@far.test', '-r', 'bob@b.example'];
    effects.push(
      await new Promise((resolve) =>
        execFile(
          path.join(root, 'usr/bin/sieve-test'),
          [...args, path.join(folder, 'script.sieve'), path.join(base, `${index}.eml`)],
          { env, cwd: folder },
          (error, stdout, stderr) => resolve(error ? `failed: ${stdout}${stderr}` : stdout),
        ),
      ),
    );
  }
  rmSync(folder, { recursive: true });
  return effects;
}

describe('scripts of anybody', () => {
  const drawn = fc.sample(fc.tuple(script, fc.nat({ max: 3 })), SCRIPTS);

  it('are the same bytes, rule by rule, for each rule that nobody touched', () => {
    for (const [text, modulus] of drawn) {
      const isTouched = (position: number) => position % 4 === modulus;
      expect(bodiesOf(sentBack(text, isTouched))).toEqual(bodiesOf(text));
      const written = sentBack(text, () => false);
      for (const body of text.split(/(?=^if )|(?<=^\}\r\n)/m).filter((each) => each.startsWith('if ')))
        expect(written).toContain(body);
      expect(sentBack(written, () => false)).toBe(written);
    }
  });

  it(
    'mean the same to a real server after they were read, sent back by a client, and written',
    async () => {
      let worked = 0;
      const queue = [...drawn.entries()];
      const work = async (): Promise<void> => {
        for (let next = queue.shift(); next; next = queue.shift()) {
          const [number, [text]] = next;
          const written = sentBack(text, () => true);
          const before = await effectsOf(`${number}-before`, text);
          const after = await effectsOf(`${number}-after`, written);
          const comparable = (effects: readonly string[]) =>
            effects.map((effect) => (effect.startsWith('failed') ? 'failed' : effect));
          if (comparable(before).join() !== comparable(after).join())
            expect({ text, written, after }).toEqual({ text, written, after: before });
          if (before.every((effect) => effect.includes('Performed actions'))) worked += 1;
        }
      };
      await Promise.all(Array.from({ length: AT_ONCE }, work));
      // Some scripts fail at the server: those that answer a mail twice, for one.
      expect(worked).toBeGreaterThan(SCRIPTS / 2);
    },
    60_000 + SCRIPTS * 500,
  );
});
