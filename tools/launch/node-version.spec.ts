import { refusalOfNode } from './node-version.mjs';

it.each([
  ['20.19.0', undefined],
  ['20.19.1', undefined],
  ['20.20.0', undefined],
  ['21.0.0', undefined],
  ['100.1.2', undefined],
  ['20.18.9', '20.18.9'],
  ['18.99.99', '18.99.99'],
])('Node %s', (version, told) => {
  const refusal = refusalOfNode(version, '>=20.19.0');
  if (told === undefined) expect(refusal).toBeUndefined();
  else expect(refusal).toContain(`This is Node ${told}, but Node 20.19.0 or later is needed`);
});
