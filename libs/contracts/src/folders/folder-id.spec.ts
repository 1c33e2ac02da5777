import { folderIdOf, isUnusedFolderId, moduleOfFolder, parseFolderAddress, toCompositeId } from './folder-id';

describe('ids of folders', () => {
  it('tell the module that owns a folder', () => {
    expect(moduleOfFolder(folderIdOf('contacts', 2))).toBe('contacts');
    expect([6, 9, 10, 15].map(moduleOfFolder)).toEqual(['contacts', 'infostore', 'infostore', 'infostore']);
    expect([0, 1, 2, 3, 12, 14, 39, -1, 1.5].map(moduleOfFolder)).toEqual(Array(9).fill(undefined));
  });

  it('are unused where they are of no module and none of the tree', () => {
    expect([0, 1, 12, 19, folderIdOf('tasks', 2)].map(String).filter(isUnusedFolderId)).toEqual([]);
    expect(['20', '39', '999999'].every(isUnusedFolderId)).toBe(true);
    expect(isUnusedFolderId('x')).toBe(false);
  });

  it('may name the account of calendars and address books', () => {
    const calendar = folderIdOf('calendar', 2);
    const contacts = folderIdOf('contacts', 2);
    expect(parseFolderAddress(String(calendar))).toEqual({ module: 'calendar', key: calendar, isComposite: false });
    expect(parseFolderAddress(toCompositeId('calendar', calendar))).toMatchObject({ key: calendar, isComposite: true });
    expect(parseFolderAddress(toCompositeId('contacts', 6))).toMatchObject({ module: 'contacts', key: 6 });
    for (const id of [`cal://0/${contacts}`, `con://0/${calendar}`, `cal://1/${calendar}`, 'cal://0/x', 'abc', '1'])
      expect(parseFolderAddress(id)).toBeUndefined();
  });

  it('are full names in mail', () => {
    for (const key of ['default0', 'default12/INBOX/a b'])
      expect(parseFolderAddress(key)).toEqual({ module: 'mail', key, isComposite: false });
    expect(parseFolderAddress('defaultx')).toBeUndefined();
  });
});
