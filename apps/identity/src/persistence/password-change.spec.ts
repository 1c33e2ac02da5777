import { toOrderClause } from './password-change.repository';

describe('orderOf', () => {
  it.each([
    ['-date', 'at desc, entry_id asc'],
    ['client_id,-date', 'client_id asc, at desc, entry_id asc'],
    [' date ,, ', 'at asc, entry_id asc'],
    ['', 'entry_id asc'],
  ])('reads %j', (sort, order) => {
    expect(toOrderClause(sort)).toBe(order);
  });

  it.each(['name', '--date', 'date desc', 'constructor', 'at; drop table x'])('refuses %j', (sort) => {
    expect(toOrderClause(sort)).toBeUndefined();
  });
});
