import { incompatibleParts } from './migration-compatibility';

describe('what two adjacent versions cannot share', () => {
  it.each([
    ['drop table note', 'drops a table'],
    ['alter table note drop column text', 'drops a column'],
    ['alter table note rename column text to body', 'renames'],
    ['alter table note alter column text set not null', 'requires a value'],
    ['alter table note alter column id type bigint', 'changes the type of a column'],
    ['alter table note add column size int not null', 'requires a value of the new column size'],
    ['create index note_text on note (text)', 'keeps writers out while note_text is built'],
  ])('%s', (statement, problem) => {
    expect(incompatibleParts([statement])).toEqual([problem]);
  });

  it('is nothing of what only adds', () => {
    expect(
      incompatibleParts([
        'create table note (id int not null); create unique index note_id on note (id);',
        'alter table thing add column size int, add column kind int not null default 0 -- not null',
        'create index concurrently "thing_size" on thing (size)',
      ]),
    ).toEqual([]);
  });
});
