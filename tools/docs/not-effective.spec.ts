import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import * as contracts from '@groupware/contracts';
import { constantColumns } from './constant-columns.mjs';
import {
  CHECKED_ONLY,
  CONSTANT_COLUMNS,
  HANDED_ON,
  NEVER_ANSWERED,
  READ_ELSEWHERE,
  SAME_BY_NATURE,
  UNDECLARED_FIELDS,
  UNDECLARED_INPUTS,
  UNREAD_INPUTS,
} from './not-effective.mjs';
import { undeclaredFields } from './undeclared-fields.mjs';
import { undeclaredInputs } from './undeclared-inputs.mjs';

type Reason = { waitsFor?: string; because?: string };
type Listed = Readonly<Record<string, Readonly<Record<string, Reason>>>>;

const root = path.join(__dirname, '..', '..');
const lines = (listed: Listed) =>
  Object.entries(listed)
    .flatMap(([owner, fields]) => Object.keys(fields).map((field) => `${owner} ${field}`))
    .sort();
const linesOf = (inputs: { operation: string; field: string }[]) =>
  inputs.map(({ operation, field }) => `${operation} ${field}`).sort();

/** In a process of its own: the compiler of TypeScript takes four times as long inside of Jest. */
function unreadInputs(folder: string): { operation: string; field: string }[] {
  const module = path.join(__dirname, 'unread-inputs.mjs');
  const script = `import { unreadInputs } from ${JSON.stringify(module)};
    console.log(JSON.stringify(unreadInputs(${JSON.stringify(folder)})));`;
  // More room for new objects: with the usual 16 MB a fifth of the time is garbage collection.
  const args = ['--max-semi-space-size=64', '--input-type=module', '-e', script];
  return JSON.parse(execFileSync(process.execPath, args).toString());
}

describe('what the API has and what has no effect', () => {
  const found: string[] = [];

  // Fields missing in the lists have no effect; entries too many have become effective.
  it('lists every parameter and body field that no code reads, and every documented one that is not declared', () => {
    found.push(...linesOf(unreadInputs(root)), ...linesOf(undeclaredInputs(contracts, root)));
    const listed = [UNREAD_INPUTS, UNDECLARED_INPUTS, READ_ELSEWHERE, CHECKED_ONLY] as Listed[];
    expect(found.sort()).toEqual(listed.flatMap(lines).sort());
  }, 240_000);

  it('lists every column that is the same in all rows', () => {
    const columns = Object.entries(constantColumns(contracts, root) as Record<string, string[]>);
    expect(columns.flatMap(([model, names]) => names.map((name) => `${model} ${name}`)).sort()).toEqual(
      ([CONSTANT_COLUMNS, SAME_BY_NATURE] as Listed[]).flatMap(lines).sort(),
    );
  });

  it('lists every documented field of answers, and every documented column, that no contract declares', () => {
    const missing = undeclaredFields(contracts, root).map(({ model, field }) => `${model} ${field}`);
    expect(missing.sort()).toEqual(([UNDECLARED_FIELDS, NEVER_ANSWERED] as Listed[]).flatMap(lines).sort());
  });

  it('names, for each, a module that is not there yet', () => {
    const present = new Set<string>(contracts.operations.flatMap(({ service, module }) => [service, module]));
    for (const listed of [UNREAD_INPUTS, UNDECLARED_INPUTS, UNDECLARED_FIELDS, CONSTANT_COLUMNS, HANDED_ON] as Listed[])
      for (const fields of Object.values(listed))
        for (const { waitsFor } of Object.values(fields)) {
          expect(waitsFor).toBeTruthy();
          expect(present).not.toContain(waitsFor);
        }
  });

  it('knows the code that reads what the search does not follow, and why the rest means nothing', () => {
    for (const fields of Object.values<Record<string, { file: string; text: string }>>(READ_ELSEWHERE))
      for (const { file, text } of Object.values(fields))
        expect(fs.readFileSync(path.join(root, file), 'utf8')).toContain(text);
    for (const listed of [CHECKED_ONLY, SAME_BY_NATURE, NEVER_ANSWERED] as Listed[])
      for (const fields of Object.values(listed))
        for (const { because } of Object.values(fields)) expect(because).toBeTruthy();
  });
});

describe('the search for fields that no code reads', () => {
  let folder: string;
  beforeEach(() => (folder = fs.mkdtempSync(path.join(os.tmpdir(), 'unread-inputs-'))));
  afterEach(() => fs.rmSync(folder, { recursive: true }));

  const write = (name: string, text: string) => {
    const file = path.join(folder, name);
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, text);
  };

  it('follows the handler through functions, interfaces, other operations and objects that are passed on', () => {
    const query = ['direct', 'taken', 'deep', 'shaped', 'spread', 'handedOn', 'whole', 'unread', 'assigned'];
    write(
      'tsconfig.json',
      '{"compilerOptions":{"experimentalDecorators":true,"strict":true},"include":["libs","apps"]}',
    );
    write(
      'libs/contracts/src/kit.ts',
      `export const Field = { text: (o: object) => (t: object, n: string): void => void [o, t, n] };
       export interface Operation<A, Q, B, R> { readonly auth: A; readonly q: Q; readonly b: B; readonly r: R }
       export const action = <Q>(o: { query: new () => Q }) => o as unknown as Operation<'session', Q, undefined, void>;
       export const defineModule = <T>(name: string, drafts: T): T => (void name, drafts);
       export const Handles = (o: unknown) => (t: unknown): void => void [o, t];`,
    );
    write(
      'libs/contracts/src/things.ts',
      `import { action, defineModule, Field } from './kit';
       export class ThingQuery { ${query.map((name) => `@Field.text({ doc: '' }) ${name}!: string;`).join(' ')} }
       export class OtherQuery { @Field.text({ doc: '' }) handedOn!: string; @Field.text({ doc: '' }) nobody!: string; }
       export const things = defineModule('things', { get: action({ query: ThingQuery }), other: action({ query: OtherQuery }) });`,
    );
    write(
      'apps/things/src/get.handler.ts',
      `import { Handles } from '../../../libs/contracts/src/kit';
       import { things, ThingQuery } from '../../../libs/contracts/src/things';
       const shape = ({ shaped }: { shaped: string }) => shaped;
       interface Store { keep(query: ThingQuery): string }
       class MemoryStore implements Store { keep(query: ThingQuery) { return query.deep; } }
       const call = <Q>(operation: { q: Q }, query: Q): void => void [operation, query];
       @Handles(things.get)
       export class GetHandler {
         constructor(private readonly store: Store) {}
         handle({ query }: { query: ThingQuery }) {
           const { taken } = query;
           const copy = { ...query };
           query.assigned = '';
           call(things.other, { handedOn: query.handedOn, nobody: '' });
           return [query.direct, taken, shape(query), this.store.keep(query), copy.spread, query['whole']];
         }
       }
       @Handles(things.other)
       export class OtherHandler { handle({ query }: { query: { handedOn: string } }) { return query.handedOn; } }
       export const stores = [new MemoryStore()];`,
    );
    expect(linesOf(unreadInputs(folder))).toEqual(['things.get assigned', 'things.get unread', 'things.other nobody']);
  });
});
