import { loadModule } from 'libpg-query';
import { proveTenancy, type Tables } from './prove-tenancy';

const tables: Tables = new Map(
  Object.entries({
    event: ['context_id', 'id', 'title', 'folder'],
    member: ['context_id', 'event', 'user_id'],
    folder: ['context_id', 'id', 'parent'],
    store: ['id', 'uri'],
  }).map(([name, columns]) => [
    name,
    { columns, constraints: { [`${name}_key`]: columns.slice(0, 2), [`${name}_id`]: columns.slice(1, 2) } },
  ]),
);

beforeAll(() => loadModule());

describe('a statement that may touch rows of other contexts', () => {
  test.each<[string, string, string]>([
    ['names the context only', 'select * from event where $1::int is not null', 'event'],
    [
      'binds one of two tables',
      'select * from event e join member m on m.event = e.id where e.context_id = $1',
      'member',
    ],
    [
      'binds the inner side of an outer join only',
      'select * from event e left join member m on m.context_id = $1 and e.context_id = $1',
      'event',
    ],
    [
      'reads another table in a subselect',
      'select * from event where context_id = $1 and id in (select event from member where user_id = $2)',
      'member',
    ],
    [
      'reads without condition in a common table expression',
      'with m as (select event from member) select * from event join m on m.event = id where context_id = $1',
      'member',
    ],
    [
      'writes without condition in a common table expression',
      'with gone as (delete from member where event = $2 returning event) select * from event, gone where context_id = $1',
      'member',
    ],
    [
      'updates what it binds by the other table only',
      'update event set title = $2 from folder f where f.context_id = $1 and f.id = event.folder',
      'event',
    ],
    [
      'updates from a table without condition',
      'update event e set title = $2 from folder f where e.context_id = $1 and f.id = e.folder',
      'folder',
    ],
    [
      'deletes using a table without condition',
      'delete from event using member m where event.context_id = $1',
      'member',
    ],
    ['binds in one branch of an OR', 'select * from event where context_id = $1 or id = $2', 'event'],
    ['binds by another parameter', 'select * from event where context_id = $2 and id = $1', 'event'],
    ['compares otherwise', 'select * from event where context_id >= $1', 'event'],
    [
      'binds one part of a union',
      'select id from event where context_id = $1 union all select event from member',
      'member',
    ],
    [
      'reads beside a lateral subselect',
      'select * from event e cross join lateral (select 1 from member m where m.context_id = e.context_id) x',
      'event',
    ],
    [
      'inserts under another context',
      'insert into event (context_id, id) select context_id + 1, id from event where context_id = $1',
      'event',
    ],
    ['inserts a value as context', 'insert into event (context_id, id) values ($1, $2), ($3, $4)', 'event'],
    ['inserts without columns', 'insert into event values ($2, $1)', 'event'],
    [
      'changes the row of a conflict that is of any context',
      'insert into event (context_id, id) values ($1, $2) on conflict (id) do update set title = $3',
      'event',
    ],
    [
      'changes the row of a conflict with a constraint that is of any context',
      'insert into event (context_id, id) values ($1, $2) on conflict on constraint event_id do update set title = $3',
      'event',
    ],
    ['moves rows to another context', 'update event set context_id = $2 where context_id = $1', 'event'],
    ['joins naturally', 'select * from event e natural join member where e.context_id = $1', 'natural join'],
    ['reads a table of another schema', 'select * from other.event where context_id = $1', 'event'],
    ['recurses over all', RECURSIVE('true'), 'folder'],
    ['is of an unknown kind', 'truncate event', 'TruncateStmt'],
  ])('is found: it %s', (_what, sql, problem) => {
    expect(proveTenancy(sql, tables).join()).toContain(problem);
  });
});

describe('a statement of one context', () => {
  test.each<[string, string]>([
    ['directly', 'select * from event e where e.context_id = $1::int and (id = $2 or id = $3)'],
    ['by a join', 'select * from event e join member m on m.context_id = e.context_id where m.context_id = $1'],
    ['by a join of columns', 'select * from event e join member using (context_id) where e.context_id = $1'],
    [
      'by rows',
      'select * from event e, member m where (e.context_id, e.id) = (m.context_id, m.event) and m.context_id = $1',
    ],
    [
      'by an outer join',
      'select * from event e left join member m on m.context_id = e.context_id and m.event = e.id where e.context_id = $1',
    ],
    [
      'by a condition of the outer query',
      'select * from event e where context_id = $1 and exists (select from member m where m.context_id = e.context_id)',
    ],
    [
      'by a lateral subselect',
      'select * from event e left join lateral (select 1 from member m where m.context_id = e.context_id) x on true where e.context_id = $1',
    ],
    [
      'by a common table expression',
      `with mine as (select context_id as c, event from member where context_id = $1)
       update event e set title = $2 from mine where e.context_id = mine.c and e.id = mine.event returning e.id`,
    ],
    [
      'by membership',
      'delete from event where (context_id, id) in (select context_id, event from member where context_id = $1)',
    ],
    [
      'by what it inserts',
      `insert into member (context_id, event, user_id) select e.context_id, e.id, $2 from event e where e.context_id = $1
       on conflict (context_id, event, user_id) do update set user_id = excluded.user_id`,
    ],
    [
      'by the constraint of a conflict',
      'insert into event (context_id, id) values ($1, $2) on conflict on constraint event_key do update set title = $3',
    ],
    ['by the first column that it inserts', 'insert into event select $1, id from store'],
    ['by recursion', RECURSIVE('context_id = $1')],
    ['with a table that all contexts share', 'select * from event, store where context_id = $1'],
    ['with rows locked', 'select * from event e where context_id = $1 for update of e'],
  ])('is proven %s', (_how, sql) => {
    expect(proveTenancy(sql, tables)).toEqual([]);
  });
});

function RECURSIVE(condition: string): string {
  return `with recursive tree as (
      select context_id, id from folder where ${condition}
      union all select f.context_id, f.id from tree t join folder f on f.context_id = t.context_id and f.parent = t.id)
    select * from tree`;
}
