import type { UserPrincipal } from '@groupware/contracts';
import { DefaultFolders } from './default-folders';

const user = (userId: number) => ({ contextId: 1, userId }) as UserPrincipal;

describe('default folders', () => {
  it('are asked for once in a while, for each user and module, and again after a failure', async () => {
    let now = 0;
    const folders = new DefaultFolders({ now: () => now });
    const asked: string[] = [];
    const find = (userId: number, module: 'calendar' | 'contacts', id?: number) =>
      folders.find(user(userId), module, async () => {
        asked.push(`${userId} ${module}`);
        return id;
      });
    expect(await find(3, 'calendar')).toBeUndefined();
    expect(await find(3, 'calendar', 31)).toBe('31');
    expect(await find(3, 'calendar', 99)).toBe('31');
    expect(await find(3, 'contacts', 32)).toBe('32');
    expect(await find(4, 'calendar', 41)).toBe('41');
    now += 30_000;
    expect(await find(3, 'calendar', 31)).toBe('31');
    expect(asked).toEqual(['3 calendar', '3 calendar', '3 contacts', '4 calendar', '3 calendar']);
  });
});
