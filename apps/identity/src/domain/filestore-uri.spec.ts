import { parseFilestoreAddress } from './filestore-uri';

const codeOf = (address: string): string => {
  try {
    parseFilestoreAddress(address);
    return 'none';
  } catch (error) {
    expect(String((error as Error).message)).not.toContain('secret');
    return (error as { code: string }).code;
  }
};

describe('the address of a file store', () => {
  it.each([
    ['file:///srv/files', { uri: 'file:///srv/files' }],
    ['s3://bucket/prefix?region=eu', { uri: 's3://bucket/prefix?region=eu' }],
    ['s3://key:se%2Fcret@bucket', { uri: 's3://bucket', credentials: 'key:se%2Fcret' }],
  ])('%s', (address, parts) => expect(parseFilestoreAddress(address)).toEqual(parts));

  it.each([
    'ftp://x',
    'nothing',
    '/srv/files',
    'file:relative',
    'file://host/x',
    'file://key:secret@/x',
    's3://',
    's3://secret@bucket/',
    's3://:secret@bucket/',
    's3://a:secret@b:secret@bucket/',
    's3://bucket/?endpoint=http://key:secret@host',
    's3://bucket/?endpoint=nothing',
  ])('is not %s', (address) => expect(codeOf(address)).toBe('INST-0007'));
});
