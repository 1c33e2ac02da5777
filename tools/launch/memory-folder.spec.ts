import os from 'node:os';
import { memoryFolder } from './memory-folder.mjs';

const GIB = 1024 ** 3;
const machine = (options: string, { type = 'tmpfs', available = 16, free = 12 } = {}) => ({
  mounts: () => `/dev/vda / ext4 rw,relatime 0 0\n${type} /dev/shm ${type} ${options} 0 0\n`,
  availableBytes: () => available * GIB,
  freeBytes: () => free * GIB,
});

describe('the folder of servers that end with a run', () => {
  it('is in memory where there is enough of it', () => {
    expect(memoryFolder(machine('rw,relatime,size=24683656k'))).toBe('/dev/shm');
  });

  it.each([
    ['runs no programs', machine('rw,nosuid,noexec')],
    ['cannot be written to', machine('ro,relatime')],
    ['is no memory', machine('rw', { type: 'ext4' })],
    ['is small, as in a container', machine('rw', { free: 1 })],
    ['belongs to a machine with little memory', machine('rw', { available: 7 })],
    ['does not exist', { ...machine('rw'), mounts: () => '/dev/vda / ext4 rw,relatime 0 0\n' }],
    [
      'is of another system',
      {
        mounts: () => {
          throw new Error('ENOENT');
        },
      },
    ],
  ])('is that of the system where the other one %s', (_why, without) => {
    expect(memoryFolder(without)).toBe(os.tmpdir());
  });
});
