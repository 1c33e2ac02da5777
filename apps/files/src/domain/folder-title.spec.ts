import { toFolderTitle } from './folder-title';

describe('folders that are named after people', () => {
  it.each([
    ['Ann Müller', 'Ann Müller'],
    ['Ann/Bob:"both"', 'Ann Bob both'],
    [' ..\u0000 ', '..'],
    ['***', ''],
    ['x'.repeat(300), 'x'.repeat(255)],
  ])('%j has the folder %j', (name, title) => {
    expect(toFolderTitle(name)).toBe(title);
  });
});
