const NOTE = '\n<!-- Written by `npm run docs`. Do not edit. -->\n';

/** A Markdown table; empty columns are left out. */
function table(heads, rows) {
  const used = heads.map((_head, index) => index === 0 || rows.some((row) => row[index] !== ''));
  const line = (cells) => `| ${cells.filter((_cell, index) => used[index]).join(' | ')} |`;
  const cell = (text) => String(text).replaceAll('|', '\\|').replaceAll('\n', ' ');
  return [line(heads), line(heads.map(() => '---')), ...rows.map((row) => line(row.map(cell)))].join('\n') + '\n';
}

const code = (text) => (text === '' || text === undefined ? '' : `\`${text}\``);
const by = (key) => (left, right) => (key(left) < key(right) ? -1 : key(left) > key(right) ? 1 : 0);
export const unique = (list) => [...new Set(list)];

function groups(list, key) {
  const found = new Map();
  for (const item of list) found.set(key(item), [...(found.get(key(item)) ?? []), item]);
  return [...found].sort(by(([name]) => name));
}

/** Loggers with what they write. */
export function loggersPage({ LOGGERS, callsLogger, operations }) {
  const services = unique(operations.map(({ service }) => service)).sort();
  return [
    '# Loggers',
    NOTE,
    'Names are a hierarchy: a level set for `calendar` holds for `calendar.import`, one set for `root` for everything.',
    '`GROUPWARE_LOG_LEVEL` is the level of loggers nobody set. Operators change levels while the processes run, for',
    'everybody or for one context, user or session: see the operations of the module `logging`.',
    '',
    table(
      ['Logger', 'Writes'],
      [
        ...Object.entries(LOGGERS),
        ...services.map((service) => [
          callsLogger(service),
          'a line for each answered call: DEBUG for successes, INFO and above for errors',
        ]),
      ]
        .sort(by(([name]) => name))
        .map(([name, what]) => [code(name), what]),
    ),
  ].join('\n');
}

/** Places that leave their context, with the reason. */
export function acrossContextsPage(doors) {
  const parts = [
    '# Statements across contexts',
    NOTE,
    'Every other statement touches rows of one context only: tests prove it of each text before it is sent',
    '(`tools/tenancy/prove-tenancy.ts`), and the whole run fails when a statement of the sources was never sent.',
    '',
  ];
  for (const [project, list] of groups(doors, ({ file }) => file.split('/').slice(0, 2).join('/')))
    parts.push(
      `## ${project}`,
      '',
      table(
        ['Where', 'Door', 'Why'],
        unique(
          list.map(({ file, door, reason }) =>
            JSON.stringify([code(file.split('/').slice(3).join('/')), code(door), reason]),
          ),
        ).map((row) => JSON.parse(row)),
      ),
    );
  return parts.join('\n');
}

/** Writes what callers need, and the few places where a call turned out to need nothing. */
export function accessPage({ operations }, waivers) {
  const calls = (list) =>
    list
      .map(({ module, name }) => code(`${module}.${name}`))
      .sort()
      .join(', ');
  const rights = groups(
    operations.flatMap((operation) => operation.access.rights.map((right) => ({ right, operation }))),
    ({ right }) => right.name,
  );
  const open = groups(
    operations.filter(({ access }) => access.rights.length === 0),
    ({ access }) => access.reason ?? 'undecided',
  );
  return [
    '# Access',
    NOTE,
    'What operations need of those who may call them, as their contracts say (`access`). The kit refuses the reply of a handler',
    'that never asked for one of these rights, and the commit of one that never asked for a right to write',
    '([0018](../adr/0018-access-is-declared-and-proven.md)).',
    '',
    '## Rights',
    '',
    table(
      ['Right', 'Kind', 'When a caller has it', 'Operations'],
      [...rights]
        .sort(by(([name]) => name))
        .map(([name, list]) => [
          code(name),
          list[0].right.kind,
          list[0].right.doc,
          calls(list.map((each) => each.operation)),
        ]),
    ),
    '## No right beyond being a caller',
    '',
    table(
      ['Why', 'Operations'],
      [...open].sort(by(([reason]) => reason)).map(([reason, list]) => [reason, calls(list)]),
    ),
    '## Calls that come to nothing',
    '',
    'Where a handler ends without a check, as nothing that a right protects is reached.',
    '',
    table(
      ['Where', 'Right', 'Why'],
      waivers.map(({ file, right, reason }) => [code(file), code(right), reason]),
    ),
  ].join('\n');
}

const callingServices = ({ calledBy }) => (calledBy === 'everyService' ? 'every service' : calledBy.join(', '));

/** Operations by API and module. */
export function operationsPage({ operations, pathOf }) {
  const about = {
    action:
      '## Client API\n\nModule calls below the base path on the public listener. Session unless stated otherwise.',
    rest: '## REST\n\nOn the internal listener unless stated otherwise; authentication is HTTP Basic.',
    internal: '## Between services\n\nOn the bus only.',
  };
  const reply = ({ reply }) =>
    reply.kind + (reply.model ? ` ${reply.model.name}` : '') + (reply.status ? ` (${reply.status})` : '');
  const body = ({ body: spec }) =>
    spec ? spec.kind + (spec.model ? ` ${spec.model.name}` : '') + (spec.required ? '' : ', optional') : '';
  const parts = ['# Operations', NOTE];
  for (const [kind, title] of Object.entries(about)) {
    parts.push(title, '');
    for (const [module, list] of groups(
      operations.filter((each) => each.kind === kind),
      (each) => each.module,
    )) {
      parts.push(`### ${module}`, '', `Answered by \`${unique(list.map((each) => each.service)).join('`, `')}\`.`, '');
      parts.push(
        table(
          ['Call', 'What', 'Access', 'Body', 'Answer', 'Repeatable', 'Deadline', 'Errors'],
          list.map((each) => [
            code(kind === 'internal' ? each.subject : `${each.http} ${pathOf(each)}`),
            each.doc,
            [
              kind === 'rest' ? each.callers.join(', ') : '',
              kind === 'internal' ? callingServices(each) : '',
              kind === 'action' && each.auth === 'none' ? 'none' : '',
              each.capability ? `capability ${each.capability}` : '',
              kind === 'rest' && each.listener === 'public' ? 'public listener' : '',
            ]
              .filter(Boolean)
              .join(', '),
            body(each),
            reply(each),
            each.repeatable ? 'yes' : '',
            each.deadlineMs ? `${each.deadlineMs / 1000} s` : '',
            unique((each.errors ?? []).map((error) => error.entry.code)).join(', '),
          ]),
        ),
      );
    }
  }
  return parts.join('\n');
}

/** Writes who may call which operation: administrators and services of the REST API, applications of the client API. */
export function callersPage({ operations, pathOf, ADMIN_CALLERS, APP_SCOPES, PASSWORD_SCOPE }) {
  const rest = operations.filter(({ kind }) => kind === 'rest');
  const isOpen = ({ callers }, kind) =>
    callers.includes(kind) || (kind === 'resellerOfContext' && callers.includes('reseller'));
  const callsOf = (isWanted) =>
    operations
      .filter((each) => each.kind === 'action' && each.auth === 'session' && isWanted(each))
      .map((each) => code(`${each.http} ${pathOf(each)}`))
      .join(', ');
  const mark = (operation, kind) => (isOpen(operation, kind) ? 'yes' : '');
  return [
    '# Callers',
    NOTE,
    '## REST API',
    '',
    'Declared with each operation (`callers`), checked by the gateway before the operation sees the call. Columns:',
    'a master administrator; any reseller, whom the operation lets reach his own contexts only; the reseller in whose subtree',
    'the context of the path is; the administrator of that context; the pair of cooperating services; anybody, without',
    'credentials. Everybody else gets 401. Resellers who may not call an operation of masters get 403 (REST-0403), except',
    'where the last column says 401.',
    '',
    table(
      [
        'Call',
        'Master',
        'Reseller',
        'Reseller of the context',
        'Context administrator',
        'Service',
        'Anybody',
        'Other resellers',
      ],
      [...rest]
        .sort(by((each) => `${each.path} ${each.http}`))
        .map((each) => [
          code(`${each.http} ${pathOf(each)}`),
          ...ADMIN_CALLERS.map((kind) => mark(each, kind)),
          mark(each, 'anybody'),
          each.auth !== 'admin' || isOpen(each, 'reseller')
            ? ''
            : each.callers.includes('master') && !each.hidesFromResellers
              ? '403'
              : '401',
        ]),
    ),
    '## Applications',
    '',
    'What sessions of application passwords may call, by the scope they need (`appScopes` of an operation); for several',
    'scopes one is enough. An operation that names none is closed to them. Operations on folders and attachments also ask',
    'for the scope of the module that the object belongs to. Access tokens open `any` and what their scopes name.',
    '',
    table(
      ['Scope', 'Operations'],
      [
        ...APP_SCOPES.map((scope) => [code(scope), callsOf(({ appScopes = [] }) => appScopes.includes(scope))]).filter(
          ([, calls]) => calls !== '',
        ),
        ['any', callsOf(({ appScopes }) => appScopes === 'any')],
        ['any password', callsOf(({ appScopes = [] }) => appScopes.includes(PASSWORD_SCOPE))],
        ['closed', callsOf(({ appScopes }) => appScopes === undefined)],
      ],
    ),
  ].join('\n');
}

/**
 * Every error of the catalogue, and the operations that answer it by design.
 * @param {object} contracts
 * @param {string[]} unused keys of errors that no code throws
 */
export function errorsPage({ allErrors, operations, httpStatusOf }, unused) {
  const users = new Map();
  for (const operation of operations)
    for (const { entry } of operation.errors ?? [])
      users.set(entry.key, [...(users.get(entry.key) ?? []), `${operation.module}.${operation.name}`]);
  const parts = [
    '# Errors',
    NOTE,
    'The status is that of the REST API; module calls answer 200 except for the errors marked with *.',
    '',
  ];
  for (const [prefix, list] of groups(allErrors(), (entry) => entry.code.replace(/-\d+$/, ''))) {
    parts.push(`## ${prefix}`, '');
    parts.push(
      table(
        ['Code', 'Category', 'Status', 'Text', 'Name', 'Operations'],
        [...list].sort(by((entry) => entry.code + entry.key)).map((entry) => [
          code(entry.code),
          entry.category,
          `${httpStatusOf(entry)}${entry.edgeStatus ? ' *' : ''}`,
          entry.message,
          code(entry.key),
          unique(users.get(entry.key) ?? [])
            .sort()
            .join(', '),
        ]),
      ),
    );
  }
  if (unused.length > 0)
    parts.push(
      '## Not in use',
      '',
      `Declared because the API has them, but no code answers them: ${unused.map(code).join(', ')}.`,
    );
  return parts.join('\n');
}

/** Page of the parameters, fields and columns without effect, each with the reason. */
export function notEffectivePage(lists) {
  const { UNREAD_INPUTS, UNDECLARED_INPUTS, HANDED_ON, CONSTANT_COLUMNS, CHECKED_ONLY, SAME_BY_NATURE } = lists;
  const { UNDECLARED_FIELDS, NEVER_ANSWERED } = lists;
  const part = (head, reason, ...listed) =>
    table(
      [head, 'Field', reason],
      listed
        .flatMap(Object.entries)
        .flatMap(([owner, fields]) => Object.entries(fields).map(([field, why]) => ({ owner, field, ...why })))
        .sort(by(({ owner, field }) => `${owner} ${field}`))
        .map(({ owner, field, waitsFor, because }) => [code(owner), code(field), waitsFor ?? because]),
    );
  return [
    '# Not effective',
    NOTE,
    'Parameters and fields that are accepted and change nothing, and columns that are the same in every row: each waits for',
    'something that is not there yet. Everything else that is declared does its work.',
    '',
    '## Parameters and fields',
    '',
    part('Operation', 'Waits for', UNREAD_INPUTS, UNDECLARED_INPUTS, HANDED_ON),
    '## Columns and fields of answers',
    '',
    part('Model', 'Waits for', CONSTANT_COLUMNS, UNDECLARED_FIELDS),
    '## Nothing depends on it',
    '',
    'These wait for nothing: values that are checked and decide nothing, by the word of the API or by what they name.',
    '',
    part('Operation', 'Because', CHECKED_ONLY),
    'And columns whose one value is true of every row.',
    '',
    part('Model', 'Because', SAME_BY_NATURE),
    'And fields that the API documents and that no answer has.',
    '',
    part('Model', 'Because', NEVER_ANSWERED),
  ].join('\n');
}

/** Events and who consumes them. */
export function eventsPage({ allEvents }, consumers) {
  return [
    '# Events',
    NOTE,
    'At least once, in JetStream; the context is part of every message.',
    '',
    table(
      ['Event', 'Meaning', 'Consumed by'],
      allEvents().map((event) => [code(event.name), event.doc, (consumers.get(event.name) ?? []).sort().join(', ')]),
    ),
  ].join('\n');
}

const shown = (value) =>
  Array.isArray(value) ? value.join(',') : typeof value === 'object' && value ? '***' : String(value);

/** Process settings by module, and the properties of the cascade. */
export function configurationPage({ allProperties }, classes, { listSettings, Secret }) {
  const parts = [
    '# Configuration',
    NOTE,
    '## Process settings',
    '',
    'Environment variables. Each may also be given as a file: `NAME_FILE` names it. Problems are reported all at once at start.',
    '',
  ];
  for (const [owner, types] of classes) {
    parts.push(`### ${owner}`, '');
    const rows = types.flatMap((type) => {
      const defaults = new type();
      return listSettings(type).map((setting) => {
        const value = defaults[setting.property];
        const text = value instanceof Secret ? value.reveal() : shown(value);
        return [code(setting.env), code(text), value instanceof Secret ? 'secret' : '', setting.doc];
      });
    });
    parts.push(table(['Variable', 'Default', 'Kind', 'Meaning'], rows));
  }
  parts.push(
    '## Properties',
    '',
    'The first of these places that has a value wins: user, context, reseller and its parents, context sets, server; else the default holds.',
    'Resellers and context sets may set what may be set for a context or user. Values of the server come from the files and folders of',
    '`GROUPWARE_PROPERTIES_FILE`; variables override them, secrets (`GROUPWARE_SECRETS`) override both. The variable of a property is',
    '`GROUPWARE_PROPERTY_` and its key in upper case with `_` for everything but letters and digits; with the suffix `_FILE` it names a',
    'file that holds the value. Any key, declared or not, may also stand literally behind `GROUPWARE_PROPERTY_`.',
    '',
    'Changed files are in force within `GROUPWARE_CONFIG_POLL_MS`, or at once after SIGHUP, without a restart. A change with problems is',
    'logged and changes nothing.',
    '',
    table(
      ['Property', 'Kind', 'Default', 'Bounds', 'Set for', 'Meaning'],
      allProperties().map((property) => [
        code(property.key),
        property.type,
        code(String(property.default)),
        property.values
          ? property.values.join(', ')
          : [property.min, property.max].some((bound) => bound !== undefined)
            ? `${property.min ?? ''}…${property.max ?? ''}`
            : '',
        property.scopes.join(', '),
        property.doc,
      ]),
    ),
  );
  return parts.join('\n');
}
