import { Field } from '@groupware/contracts';
import { columnsOf } from './columns';
import { StatementNames } from './connections/statement-names';

class Account {
  @Field.int({ column: 1001, doc: 'id' }) id!: number;
  @Field.text({ column: 1002, optional: true, doc: 'login' }) login?: string;
  @Field.text({ column: 1003, name: 'wire-name', optional: true, doc: 'odd name' }) odd?: string;
  @Field.text({ column: 1004, optional: true, doc: 'known, not stored' }) status?: string;
}

const columns = columnsOf(Account, { id: 'a.id', login: 'a.login', odd: 'lower(a.odd)', status: null });

// @ts-expect-error a field without SQL does not compile
columnsOf(Account, { id: 'a.id', login: 'a.login', odd: 'a.odd' });
// @ts-expect-error SQL without a field does not compile
columnsOf(Account, { id: 'a.id', login: 'a.login', odd: 'a.odd', status: null, other: 'a.other' });

describe('columnsOf', () => {
  it('selects what was asked in the order asked, by number or name, doubles included', () => {
    expect(columns.select(['1002', 1001, 'wire-name', '1001'])).toBe(
      'a.login as c0, a.id as c1, lower(a.odd) as c2, a.id as c3',
    );
  });

  it('answers null for a field that is not stored', () => {
    expect(columns.select([1004])).toBe('null as c0');
    expect(columns.expression('status')).toBeUndefined();
    expect(columns.expression('login')).toBe('a.login');
  });

  it.each([['9999'], ['a.id; drop table account'], ['odd'], ['constructor'], ['']])('refuses %j', (column) => {
    expect(() => columns.select([1001, column])).toThrow(
      expect.objectContaining({ code: 'SVL-0010', params: ['columns', column] }),
    );
  });

  it('builds JSON arrays, also beyond the 100 arguments of a Postgres function', () => {
    expect(columns.jsonArray([1001, 1002])).toBe('json_build_array(a.id, a.login)');
    const many = columns.jsonArray(Array.from({ length: 150 }, () => 1001));
    expect(many).toMatch(/^\(jsonb_build_array\((a\.id, ){99}a\.id\) \|\| jsonb_build_array\((a\.id, ){49}a\.id\)\)$/);
  });

  it('selects all stored fields under the names of the model', () => {
    expect(columns.all()).toBe('a.id as "id", a.login as "login", lower(a.odd) as "odd"');
  });
});

describe('names of prepared statements', () => {
  it('are given to texts that come back, and to a bounded number', () => {
    const names = new StatementNames(2);
    expect(names.nameOf('a')).toBeUndefined();
    const first = names.nameOf('a');
    expect(first).toBeDefined();
    expect(names.nameOf('a')).toBe(first);
    names.nameOf('b');
    expect(names.nameOf('b')).not.toBe(first);
    names.nameOf('c');
    expect(names.nameOf('c')).toBeUndefined();
  });
});
