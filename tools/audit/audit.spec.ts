import { readAdvisories } from './advisories.mjs';
import { licenceProblems } from './licences.mjs';

describe('readAdvisories', () => {
  const report = JSON.stringify({
    vulnerabilities: {
      grave: { name: 'grave', severity: 'high', range: '<2', via: [{ title: 'remote code' }, 'other'] },
      slight: { name: 'slight', severity: 'low', range: '*', via: [] },
    },
  });

  it('names what is at least moderate', () => {
    expect(readAdvisories(report, {}, '2026-01-01')).toEqual({
      answered: true,
      problems: ['grave <2: high: remote code; through other'],
    });
  });

  it('accepts an advisory until the day that is written beside it', () => {
    const accepted = { grave: { reason: 'not reachable', until: '2026-01-01' } };
    expect(readAdvisories(report, accepted, '2026-01-01')).toEqual({ answered: true, problems: [] });
    expect(readAdvisories(report, accepted, '2026-01-02')).toMatchObject({ problems: [expect.any(String)] });
  });

  it.each([
    ['{"statusCode":405,"message":"Method Not Allowed"}', 'status 405'],
    ['', 'no report'],
    ['<html>', 'no report'],
  ])('says that a registry answered with %j has not told', (output, reason) => {
    expect(readAdvisories(output, {}, '2026-01-01')).toEqual({ answered: false, reason });
  });
});

describe('licenceProblems', () => {
  const check = (licence: string | undefined, exceptions = {}) =>
    licenceProblems({ '': {}, 'node_modules/a/node_modules/x': { license: licence } }, () => undefined, exceptions);

  it.each(['MIT', '(MIT OR GPL-3.0)', 'Apache-2.0 AND MIT'])('allows %s', (licence) => {
    expect(check(licence)).toEqual([]);
  });

  it.each(['GPL-3.0', '(MIT AND GPL-3.0)', 'SEE LICENSE IN FILE', undefined])('refuses %s', (licence) => {
    expect(check(licence)).toEqual([expect.stringContaining('node_modules/a/node_modules/x')]);
  });

  it('takes an exception with a reason, and names one that is not needed', () => {
    expect(check('GPL-3.0', { x: 'reason' })).toEqual([]);
    expect(check('MIT', { x: 'reason' })).toEqual(['x: the licence exception is not needed any more']);
  });

  it('takes an exception for all names with one beginning', () => {
    const packages = { 'node_modules/@a/b-1': { license: 'GPL-3.0' }, 'node_modules/@a/c': { license: 'GPL-3.0' } };
    expect(licenceProblems(packages, () => undefined, { '@a/b-*': 'reason' })).toEqual([
      'node_modules/@a/c: licence GPL-3.0 is not allowed',
    ]);
  });
});
