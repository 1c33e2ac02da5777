import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
// @ts-expect-error a script of Node without types
import { contextDoors, unseenStatements } from './statements.mjs';

describe('the statements of the sources', () => {
  let root: string;
  beforeEach(() => {
    root = fs.mkdtempSync(path.join(os.tmpdir(), 'statements-'));
    const source = path.join(root, 'apps', 'calendar', 'src');
    for (const folder of [source, path.join(root, 'libs'), path.join(root, 'records')])
      fs.mkdirSync(folder, { recursive: true });
    fs.writeFileSync(
      path.join(source, 'event.repository.ts'),
      `const WHY = 'a reason';
       const event = \`select \${columns}
         from event where context_id = $1 and \${more} order by id\`;
       const text = 'select one of them';
       db.acrossContexts(WHY, work); db.onShard(shard, 'another', work);`,
    );
  });
  afterEach(() => fs.rmSync(root, { recursive: true }));

  const unseen = (...statements: string[]) => {
    fs.writeFileSync(path.join(root, 'records', '1.jsonl'), statements.map((sql) => JSON.stringify(sql)).join('\n'));
    return unseenStatements(root, path.join(root, 'records')).map(({ place }: { place: string }) => place);
  };

  it('are seen when a recorded one contains all of their parts, in order', () => {
    const [event, text] = ['apps/calendar/src/event.repository.ts:2', 'apps/calendar/src/event.repository.ts:4'];
    expect(unseen()).toEqual([event, text]);
    expect(unseen('select id from event where context_id = $1 and a = $2\n order by id')).toEqual([text]);
    expect(unseen('select id order by id from event where context_id = $1 and', 'select one of them')).toEqual([event]);
  });

  it('say why they leave their context', () => {
    expect(contextDoors(root).map(({ door, reason }: Record<string, string>) => [door, reason])).toEqual([
      ['acrossContexts', 'a reason'],
      ['onShard', 'another'],
    ]);
  });
});
