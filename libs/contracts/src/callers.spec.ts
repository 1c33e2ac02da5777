import { ADMIN_CALLERS, contextFieldOf, fieldsOf, type Model, type Operation } from './kit';
import { operations } from './registry';

const rest = operations.filter(({ kind }) => kind === 'rest');
const nameOf = ({ http, path }: Operation): string => `${http} ${path}`;
const openTo = (caller: string) => rest.filter(({ callers = [] }) => callers.some((each) => each === caller));
const CONTEXT_NAME = /^(context|cid|ctx)([-_]?id)?$/i;

const wireNames = (model: Model | undefined): string[] =>
  model ? fieldsOf(model).flatMap(({ wireName, property }) => [wireName, property]) : [];

describe('callers of the REST API', () => {
  it('are named by every operation', () => {
    expect(rest.length).toBeGreaterThan(150);
    for (const operation of rest) {
      const { callers = [] } = operation;
      expect({ name: nameOf(operation), count: callers.length }).not.toMatchObject({ count: 0 });
      const known: readonly string[] = callers.length > 1 ? ADMIN_CALLERS : [...ADMIN_CALLERS, 'anybody', 'user'];
      expect(known).toEqual(expect.arrayContaining([...callers]));
    }
  });

  it('are anybody for what has checks of its own', () => {
    expect(openTo('anybody').map(nameOf).sort()).toEqual([
      'GET /davclient/v1/config/{token}',
      'GET /health',
      'GET /metrics',
      'GET /servlet/webdav.freebusy',
    ]);
  });

  // Their handlers look at every context that is named: anyone who adds one writes that check and its test.
  it('are resellers as such for what the operation itself restricts to their contexts', () => {
    expect(openTo('reseller').map(nameOf).sort()).toEqual([
      'DELETE /admin/v1/jobs/{job-id}',
      'GET /admin/v1/contexts',
      'GET /admin/v1/jobs',
      'GET /admin/v1/jobs/{job-id}',
      'POST /admin/v1/close-sessions/by-context',
      'POST /admin/v1/close-sessions/by-id',
      'POST /admin/v1/close-sessions/by-user',
      'POST /admin/v1/contexts',
    ]);
  });

  it('are never resellers for what concerns all tenants', () => {
    for (const path of [
      '/admin/v1/site-availability',
      '/admin/v1/contexts/pre-assemble',
      '/admin/v1/filestores/{filestore-id}',
      '/admin/v1/schemas/{schema}',
      '/admin/v1/resellers/{reseller}',
      '/admin/v1/contexts/{context-id}/move',
      '/admin/v1/mail-accounts/reseal',
      ...['calendar', 'files', 'identity', 'push', 'sso'].map((module) => `/admin/v1/secrets/${module}/reseal`),
    ])
      for (const operation of rest.filter((each) => each.path === path)) expect(operation.callers).toEqual(['master']);
  });

  it('cannot name a second context beside the one of the path', () => {
    const inPath = rest.filter(({ params }) => params && contextFieldOf(params));
    expect(inPath.length).toBeGreaterThan(60);
    for (const operation of inPath) {
      const others = [...wireNames(operation.query), ...wireNames(operation.body?.model)];
      const found = { name: nameOf(operation), contexts: others.filter((name) => CONTEXT_NAME.test(name)) };
      expect(found).toEqual({ ...found, contexts: [] });
    }
  });

  it('are checked against every place of a path that is called a context', () => {
    for (const operation of rest) {
      const places = (operation.params ? fieldsOf(operation.params) : []).filter(({ wireName }) =>
        CONTEXT_NAME.test(wireName),
      );
      for (const { isContext, wireName } of places)
        if (operation.callers?.some((caller) => caller !== 'service'))
          expect({ name: nameOf(operation), wireName, isContext }).toMatchObject({ isContext: true });
    }
  });
});
