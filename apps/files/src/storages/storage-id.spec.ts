import { parseStorageFileId, parseStorageFolderId, toStorageFileId, toStorageFolderId } from './storage-id';

const SERVICE = 'com.example.file.storage.webdav';
const codeOf = (work: () => unknown): unknown => {
  try {
    return work();
  } catch (error) {
    return (error as { code?: unknown }).code;
  }
};

describe('ids of storages elsewhere', () => {
  it.each([
    ['', `${SERVICE}://3/`],
    ['Docs', `${SERVICE}://3/Docs`],
    ['Docs/Ä b', `${SERVICE}://3/Docs%2F%C3%84%20b`],
  ])('name the folder %j', (path, id) => {
    expect(toStorageFolderId({ service: SERVICE, account: '3', path })).toBe(id);
    expect(parseStorageFolderId(id)).toEqual({ service: SERVICE, account: '3', path });
  });

  it.each([
    ['a.txt', `${SERVICE}://3//a.txt`],
    ['Docs/Sub/50%.txt', `${SERVICE}://3/Docs%2FSub/50%25.txt`],
  ])('name the file %j', (path, id) => {
    expect(toStorageFileId({ service: SERVICE, account: '3', path })).toBe(id);
    expect(parseStorageFileId(id)).toEqual({ service: SERVICE, account: '3', path });
  });

  it.each(['..%2Fetc', 'a%2F..%2Fb', 'a%2F%2Fb', '%', 'a%00', '.'])('lead nowhere else: %s', (part) => {
    expect(codeOf(() => parseStorageFolderId(`${SERVICE}://3/${part}`))).toBe('FILE_STORAGE-0031');
    expect(codeOf(() => parseStorageFileId(`${SERVICE}://3/${part}/x`))).toBe('FILE_STORAGE-0008');
  });

  it('of files are none of folders', () => {
    expect(codeOf(() => parseStorageFolderId(`${SERVICE}://3/a/b`))).toBe('FILE_STORAGE-0031');
    expect(codeOf(() => parseStorageFileId(`${SERVICE}://3/a`))).toBe('FILE_STORAGE-0008');
    expect(codeOf(() => parseStorageFileId(`${SERVICE}://3/a/..`))).toBe('FILE_STORAGE-0008');
  });
});
