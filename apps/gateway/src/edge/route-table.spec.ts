import { action, allowCallers, defineModule, one, operationsOf, selectByValue } from '@groupware/contracts';
import { RouteTable } from './route-table';

const searching = (service: string, selector?: ReturnType<typeof selectByValue>) =>
  operationsOf(
    defineModule(
      'probe',
      {
        [service]: action({
          http: 'PUT',
          action: 'search',
          access: allowCallers('a probe'),
          doc: 'Searches',
          reply: one(Object),
          ...(selector && { selector }),
        }),
      },
      { service },
    ),
  );

describe('operations that share an action', () => {
  const [tasks, notes, all] = [
    searching('tasks', selectByValue('module', 'tasks')),
    searching('notes', selectByValue('module', 'notes')),
    searching('all'),
  ];
  const select = (table: RouteTable, module?: string): string =>
    table.select(table.module('probe')!.get('search')!.get('PUT')!, (name) => (name === 'module' ? module : undefined))
      .service;

  it('are told apart by a parameter', () => {
    const table = new RouteTable('public', [...tasks, ...notes]);
    expect([select(table, 'tasks'), select(table, 'notes')]).toEqual(['tasks', 'notes']);
    expect(() => select(table)).toThrow(expect.objectContaining({ code: 'SVL-0002' }));
    for (const value of ['TASKS', 'mail'])
      expect(() => select(table, value)).toThrow(expect.objectContaining({ code: 'SVL-0010' }));
  });

  it.each([
    ['first', [...all, ...tasks]],
    ['last', [...tasks, ...all]],
  ])('lead to the one without selector, declared %s, when no other accepts the parameter', (_place, declared) => {
    const table = new RouteTable('public', declared);
    expect([select(table, 'tasks'), select(table, 'mail'), select(table)]).toEqual(['tasks', 'all', 'all']);
  });

  it('are refused at start when nothing tells them apart', () => {
    expect(() => new RouteTable('public', [...all, ...all])).toThrow(/claim the same route/);
  });
});
