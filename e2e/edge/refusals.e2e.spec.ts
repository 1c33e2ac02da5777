import {
  CATEGORIES,
  fieldsOf,
  MODULE,
  contracts,
  operations,
  RequestErrors,
  type FieldDescription,
  type Operation,
} from '@groupware/contracts';
import { createContext, PASSWORD } from '../fixtures';
import { AdminClient, Client } from '../client';
import { callOperation, modulePath, nameOf, requiredFields, sampleQuery } from '../samples';
import { startTestEnvironment, type TestEnvironment } from '../test-environment';

/** Checks of the edge come before any message, so the modules need not run. */
const actions = operations.filter((operation) => operation.kind === 'action');
const withSession = actions.filter((operation) => operation.auth === 'session').map(named);
const ordinary = actions.filter((operation) => operation.service !== 'gateway');

let world: TestEnvironment;
let ann: Client;
let bob: Client;

function named(operation: Operation): [string, Operation] {
  return [nameOf(operation), operation];
}

beforeAll(async () => {
  world = await startTestEnvironment({
    modules: ['identity', 'gateway'],
    variables: {
      GATEWAY_LOGINS_PER_MINUTE: '1000',
      GATEWAY_MAX_BODY_BYTES: '100000',
      GATEWAY_MAX_UPLOAD_BYTES: '200000',
    },
  });
  const admin = new AdminClient(world.internalUrl, world.master.login, world.master.password);
  const [one, two] = [await createContext(admin, 'one'), await createContext(admin, 'two')];
  // Bodies are looked at only when the user may call the operation at all.
  for (const context of [one, two])
    for (const capability of ['feedback', 'messaging'])
      await admin.expect('PUT', `/admin/v1/contexts/${context}/config/com.example.capability.${capability}`, {
        value: 'true',
      });
  ann = new Client(world.publicUrl);
  bob = new Client(world.publicUrl);
  expect(await ann.login(`admin@${one}`, PASSWORD)).toHaveProperty('session');
  expect(await bob.login(`admin@${two}`, PASSWORD)).toHaveProperty('session');
}, 120_000);
afterAll(() => world?.close());

/** The envelope of a refusal: complete, with a fresh id, and nothing of the inside in it. */
function expectRefusal(answer: { status: number; body: any }, code: string, status = 200): void {
  expect({ status: answer.status, code: answer.body?.code ?? answer.body }).toEqual({ status, code });
  const { body } = answer;
  expect(body).toEqual(
    expect.objectContaining({
      error: expect.any(String),
      error_desc: expect.any(String),
      error_id: expect.stringMatching(/./),
      error_params: expect.any(Array),
      categories: expect.any(String),
      category: expect.any(Number),
    }),
  );
  expect(CATEGORIES[body.categories as keyof typeof CATEGORIES]).toBe(body.category);
  expect(body).not.toHaveProperty('data');
  expect(JSON.stringify(body)).not.toMatch(/select |postgres|\.ts:\d|\.js:\d|node_modules|127\.0\.0\.1/i);
}

/** Of a call without any session. */
function statusOf({ module, publicSession, reply }: Operation): number {
  const isPictureOfPage = publicSession === true && reply.mediaType === 'image/*';
  return module === 'multiple' ? 400 : isPictureOfPage ? 404 : 200;
}

describe('an operation that needs a session refuses', () => {
  it('has operations to check', () => {
    expect(withSession.length).toBeGreaterThan(20);
  });

  it.each(withSession)('%s without one', async (_name, operation) => {
    // A public session is one, too: it comes by cookie.
    const client = operation.publicSession ? new Client(world.publicUrl) : ann;
    const answer = await callOperation(client, operation, { ...sampleQuery(operation), session: undefined });
    expectRefusal(answer, 'SES-0201', statusOf(operation));
  });

  it.each(withSession)('%s with an unknown one', async (_name, operation) => {
    const session = 'f'.repeat(32);
    expectRefusal(await callOperation(ann, operation, { ...sampleQuery(operation), session }), 'SES-0203');
    expectRefusal(await callOperation(ann, operation, { ...sampleQuery(operation), session: "x' or 1=1" }), 'SES-0203');
  });

  it.each(withSession)('%s without its cookie', async (_name, operation) => {
    const bare = Object.assign(new Client(world.publicUrl), { session: ann.session });
    expectRefusal(await callOperation(bare, operation, sampleQuery(operation)), 'SES-0206');
  });

  it.each(withSession)("%s with somebody else's session", async (_name, operation) => {
    const thief = Object.assign(bob.copy(), { session: ann.session });
    expectRefusal(await callOperation(thief, operation, sampleQuery(operation)), 'SES-0206');
  });

  it('and none of these attempts ended the session', async () => {
    const answer = await ann.get('user/me', undefined as never);
    expect(answer.data).toMatchObject({ user_id: ann.userId });
    expect((await bob.get('user/me', undefined as never)).data).toMatchObject({ user_id: bob.userId });
  });
});

describe('parameters', () => {
  const required = ordinary.flatMap((operation) =>
    operation.auth === 'session' || operation.auth === 'none'
      ? requiredFields(operation.query)
          // A place of the path can't be left out.
          .filter(({ wireName }) => !operation.module.includes(`{${wireName}}`))
          .map((field): [string, string, Operation] => [nameOf(operation), field.wireName, operation])
      : [],
  );
  const strict: ReadonlySet<FieldDescription['type']> = new Set([
    'int',
    'number',
    'time',
    'timestamp',
    'date',
    'boolean',
  ]);
  const malformed = ordinary.flatMap((operation) =>
    (operation.query ? fieldsOf(operation.query) : [])
      .filter((field) => !field.isLenient && ((strict.has(field.type) && !field.countsByPresence) || field.allowed))
      .map((field): [string, string, Operation] => [nameOf(operation), field.wireName, operation]),
  );

  it.each(required)('%s says that %s is missing', async (_name, field, operation) => {
    const query: Record<string, string | undefined> = { ...sampleQuery(operation), [field]: undefined };
    const answer = await callOperation(ann, operation, query);
    expectRefusal(answer, 'SVL-0002');
    expect(answer.body.error_params).toEqual([field]);
  });

  it.each(malformed)('%s says that %s is malformed', async (_name, field, operation) => {
    for (const value of ['never right', '1e400', '99999999999999999999']) {
      const answer = await callOperation(ann, operation, { ...sampleQuery(operation), [field]: value });
      if (value === '99999999999999999999' && answer.body.code !== 'SVL-0010' && isTimestamp(operation, field))
        continue;
      expectRefusal(answer, (operation.badParameter ?? RequestErrors.badParameter).entry.code);
      expect(answer.body.error_params).toEqual([field, value]);
    }
  });

  const isTimestamp = (operation: Operation, name: string): boolean =>
    fieldsOf(operation.query!).some((field) => field.wireName === name && field.type === 'timestamp');
});

describe('addresses', () => {
  const moduleNames = contracts
    .filter((contract) => actions.some((operation) => operation.module === contract[MODULE].name))
    .map((contract) => contract[MODULE].name);

  it.each(['nosuchmodule', 'calendar/nosuch', 'constructor', '__proto__', 'Calendar'])(
    '/%s is no module',
    async (name) => {
      const answer = await ann.fetch('GET', `/${name}`, { action: 'all', session: ann.session });
      expectRefusal({ status: answer.status, body: await answer.json() }, 'SVL-0007', 404);
    },
  );

  it.each([...new Set(moduleNames)].filter((name) => name !== 'multiple'))(
    '/%s knows its actions and no others',
    async (name) => {
      const unknown = name === 'login' ? 'SVL-0001' : 'SVL-0021';
      for (const action of ['nosuchaction', 'constructor', '__proto__', 'ALL'])
        expectRefusal(
          await json(ann.fetch('GET', `/${modulePath({ module: name })}`, { action, session: ann.session })),
          unknown,
        );
      if (actions.every((operation) => operation.module !== name || operation.action !== null))
        expectRefusal(
          await json(ann.fetch('GET', `/${modulePath({ module: name })}`, { session: ann.session })),
          'SVL-0002',
        );
    },
  );

  it.each(ordinary.map(named))('%s takes no other method', async (_name, operation) => {
    const allowed = actions
      .filter(({ module, action }) => module === operation.module && action === operation.action)
      // Forms are sent by POST, also those of operations that a link can call, and whatever is wanted of the login module.
      .flatMap(({ http, body, module }): string[] =>
        body?.kind === 'form' || (http === 'GET' && module === 'login') ? [http, 'POST'] : [http],
      );
    // PUT and POST stand for the only method of an action, GET for that of one that reads a file or needs no body.
    if (new Set(allowed).size === 1 && operation.module.split('/')[0] !== 'login') {
      allowed.push('PUT', 'POST');
      if (operation.reads && (operation.reply.kind === 'file' || !operation.body)) allowed.push('GET');
    }
    for (const method of ['GET', 'PUT', 'POST', 'DELETE', 'PATCH'].filter((each) => !allowed.includes(each))) {
      const answer = await callOperation(ann.copy(), { ...operation, http: method as 'GET' }, sampleQuery(operation));
      expectRefusal(answer, 'SVL-0024', 405);
    }
  });
});

describe('bodies', () => {
  const jsonOperations = ordinary
    .filter(
      (operation) => operation.auth === 'session' && operation.body?.kind.startsWith('json') && operation.body.required,
    )
    .map(named);
  const send = (operation: Operation, body: string, type = 'application/json') =>
    callOperation(ann, operation, sampleQuery(operation), { body, headers: { 'content-type': type } });

  it.each(jsonOperations)('%s refuses broken JSON', async (_name, operation) => {
    const code = operation.body!.broken?.('').code ?? 'SVL-0029';
    for (const body of ['{"a":', '[1,', 'undefined', "{'a':1}", '{"a":1}}'])
      expectRefusal(await send(operation, body), code);
  });

  it.each(jsonOperations)('%s refuses a missing body and one of the wrong type', async (_name, operation) => {
    const { kind } = operation.body!;
    const wrong = kind === 'jsonList' ? '{"a":1}' : kind === 'json' ? '[]' : '"text"';
    // Any value may be right for the edge; what it means is the module's business.
    if (kind !== 'jsonValue') expectRefusal(await send(operation, wrong), 'SVL-0028');
    expectRefusal(await callOperation(ann, operation, sampleQuery(operation)), 'SVL-0028');
  });

  // Texts of mails may be longer than what is sent here.
  it.each(jsonOperations.filter(([, { body }]) => body!.maxBytes === undefined))(
    '%s refuses a body that is too large, before and while it reads',
    async (_name, operation) => {
      const large = `[${'1,'.repeat(60_000)}1]`;
      expectRefusal(await send(operation, large), 'UPL-0005');
      const chunked = callOperation(ann, operation, sampleQuery(operation), {
        body: new Blob([large]).stream(),
        headers: { 'content-type': 'application/json' },
        duplex: 'half',
      });
      expectRefusal(await chunked, 'UPL-0005');
    },
  );

  it('of uploads are refused when they are too large, in the page that answers forms', async () => {
    const form = new FormData();
    form.set('file', new Blob(['x'.repeat(300_000)]), 'large.ics');
    const upload = operations.find((operation) => operation.module === 'import' && operation.kind === 'action')!;
    const answer = await callOperation(ann, upload, sampleQuery(upload), { body: form });
    expect(answer.headers.get('content-type')).toMatch(/^text\/html/);
    expect(answer.body).toContain('UPL-0005');
    const plain = await callOperation(ann, upload, { ...sampleQuery(upload), plainJson: 'true' }, { body: form });
    expectRefusal(plain, 'UPL-0005');
  });
});

async function json(response: Promise<Response>): Promise<{ status: number; body: any }> {
  const answer = await response;
  return { status: answer.status, body: await answer.json() };
}
