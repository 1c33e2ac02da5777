import { BasePathSettings } from './base-path-settings';

it.each([
  ['/', ['']],
  ['', ['']],
  ['/ajax/, appsuite/api ,/ajax', ['/ajax', '/appsuite/api']],
])('base paths of %j', (basePath, paths) => {
  expect(Object.assign(new BasePathSettings(), { basePath }).basePaths()).toEqual(paths);
});
