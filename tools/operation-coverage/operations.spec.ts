import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { summarize } from './operations.mjs';

const record = (name: string, successes: number, seen: string[]) => ({
  name,
  kind: 'action',
  service: 'a',
  declared: ['A-0001', 'A-0002'],
  successes,
  seen,
});

describe('the summary of npm test', () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'coverage-'));
  afterAll(() => fs.rmSync(folder, { recursive: true }));

  it('names operations without a success, unless they are excused, errors that were not seen, and those not declared', () => {
    const records = [record('GET /x', 1, ['A-0001', 'A-0002', 'SES-0203', 'B-0001']), record('GET /y', 0, ['A-0002'])];
    fs.writeFileSync(path.join(folder, '1.json'), JSON.stringify(records));
    const target = path.join(folder, 'tables', 'operations.md');
    const first = summarize(folder, target, { 'GET /z': 'a reason' });
    expect(first.lines).toEqual([
      'end-to-end tests saw 1 of 2 operations succeed',
      'declared errors that no end-to-end test saw: 1',
      '  GET /y: A-0001 not seen',
      'errors that were answered and are not declared: 1',
      '  GET /x: B-0001',
    ]);
    expect(first.problems).toEqual([
      'no end-to-end test saw GET /y succeed',
      'GET /z is excused in tools/operation-coverage/operations.mjs without need',
    ]);
    // A field listed with its reason is left out.
    const values = { 'FolderData.com.openexchange.publish.publicationFlag': ['false'], 'FolderData.total': ['0'] };
    fs.writeFileSync(path.join(folder, '1.values'), JSON.stringify(values));
    expect(summarize(folder, target, { 'GET /z': 'a reason' }).lines.slice(-2)).toEqual([
      'fields that were the same in the answers of all tests: 1',
      '  FolderData.total: 0',
    ]);
    fs.rmSync(path.join(folder, '1.values'));
    expect(fs.readFileSync(target, 'utf8')).toContain('| a | GET /y |');
    expect(summarize(folder, target, { 'GET /y': 'a reason' }).problems).toEqual([]);
    expect(summarize(path.join(folder, 'nothing'), target, {}).problems).toHaveLength(1);
  });

  it('names documented statuses of REST operations that were not seen, and answers that break their contract', () => {
    const inner = path.join(folder, 'statuses');
    fs.mkdirSync(inner);
    const seen = (...statuses: number[]) => [
      { ...record('GET /x', 1, ['A-0001', 'A-0002']), statuses: { documented: [200, 401, 404], seen: statuses } },
    ];
    fs.writeFileSync(path.join(inner, '1.json'), JSON.stringify(seen(200)));
    fs.writeFileSync(path.join(inner, '2.json'), JSON.stringify(seen(401, 500)));
    const target = path.join(folder, 'statuses.md');
    const first = summarize(inner, target, {});
    expect(fs.readFileSync(target, 'utf8')).toContain('| GET /x | 200 401 404 | 200 401 500 | 404 |');
    expect(first.problems).toEqual(['no end-to-end test saw GET /x answer 404']);
    const excused = summarize(inner, target, {}, { 'GET /x': { 404: 'a reason' } });
    expect(excused).toMatchObject({
      problems: [],
      lines: expect.arrayContaining(['GET /x never answers 404: a reason']),
    });
    expect(summarize(inner, target, {}, { 'GET /x': { 401: 'a reason', 404: 'a reason' } }).problems).toHaveLength(1);
    fs.writeFileSync(path.join(inner, '3.json'), JSON.stringify(seen(404)));
    fs.writeFileSync(path.join(inner, '3.wrong'), 'GET /x 200: answer.a is missing');
    const second = summarize(inner, target, {});
    expect(second.lines).toHaveLength(1);
    expect(second.problems).toEqual(['an answer breaks its contract: GET /x 200: answer.a is missing']);
  });
});
