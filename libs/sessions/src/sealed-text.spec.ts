import { randomBytes } from 'node:crypto';
import { KeyedDigest, SealedText, SecretPermutation } from './sealed-text';

const key = randomBytes(32);

describe('SealedText', () => {
  const sealed = new SealedText([key], 'test');

  it('opens for the owner it was sealed for, and for nobody else', () => {
    const text = sealed.seal('geheim: ü', 'session-1');
    expect(sealed.open(text, 'session-1')).toBe('geheim: ü');
    expect(sealed.open(text, 'session-2')).toBeUndefined();
    expect(new SealedText([key], 'other purpose').open(text, 'session-1')).toBeUndefined();
  });

  it('differs each time and refuses changed texts', () => {
    const text = sealed.seal('x', 'o');
    expect(sealed.seal('x', 'o')).not.toBe(text);
    const parts = text.split('.');
    const other = parts.at(-1)!.startsWith('A') ? 'B' : 'A';
    const changed = [...parts.slice(0, -1), other + parts.at(-1)!.slice(1)].join('.');
    expect(sealed.open(changed, 'o')).toBeUndefined();
    expect(sealed.open('', 'o')).toBeUndefined();
    expect(sealed.open('a.b.c.d', 'o')).toBeUndefined();
  });

  it('still opens what an older key sealed', () => {
    const rotated = new SealedText([randomBytes(32), key], 'test');
    expect(rotated.open(sealed.seal('x', 'o'), 'o')).toBe('x');
  });

  it('refuses keys of a wrong length', () => {
    expect(() => new SealedText([randomBytes(16)], 'test')).toThrow('32 bytes');
  });
});

describe('KeyedDigest', () => {
  const digests = new KeyedDigest([key], 'test');
  const digest = digests.compute('a text');

  it('is that of one text, key and purpose', () => {
    expect(digests.matches(digest, 'a text')).toBe(true);
    expect(digests.matches(digest, 'another text')).toBe(false);
    expect(new KeyedDigest([randomBytes(32)], 'test').matches(digest, 'a text')).toBe(false);
    expect(new KeyedDigest([key], 'other purpose').matches(digest, 'a text')).toBe(false);
  });

  it('is still known after a change of key', () => {
    const rotated = new KeyedDigest([randomBytes(32), key], 'test');
    expect(rotated.matches(digest, 'a text')).toBe(true);
    expect(rotated.compute('a text')).not.toBe(digest);
  });
});

describe('SecretPermutation', () => {
  it('is one to one and depends on the key', () => {
    const permutation = new SecretPermutation(key, 'test');
    const id = randomBytes(16).toString('hex');
    expect(permutation.apply(id)).toMatch(/^[0-9a-f]{32}$/);
    expect(permutation.apply(id)).not.toBe(id);
    expect(permutation.invert(permutation.apply(id))).toBe(id);
    expect(new SecretPermutation(randomBytes(32), 'test').apply(id)).not.toBe(permutation.apply(id));
  });
});

describe('sealed texts after a change of key', () => {
  it('tell whether the newest key sealed them', () => {
    const older = Buffer.alloc(32, 1);
    const newer = Buffer.alloc(32, 2);
    const before = new SealedText([older], 'test').seal('hush', 'row 1');
    const texts = new SealedText([newer, older], 'test');
    expect(texts.open(before, 'row 1')).toBe('hush');
    expect([texts.isCurrent(before), texts.isCurrent(texts.seal('hush', 'row 1'))]).toEqual([false, true]);
  });

  it('are sealed again by the newest key, for their owner alone', () => {
    const older = new SealedText([Buffer.alloc(32, 1)], 'test');
    const newer = new SealedText([Buffer.alloc(32, 2)], 'test');
    const both = new SealedText([Buffer.alloc(32, 2), Buffer.alloc(32, 1)], 'test');
    for (const text of ['hush', '']) {
      const again = both.reseal(older.seal(text, 'row 1'), 'row 1')!;
      expect(newer.open(again, 'row 1')).toBe(text);
      expect(both.reseal(again, 'row 1')).toBe(again);
      expect([both.reseal(again, 'row 2'), newer.reseal(older.seal(text, 'row 1'), 'row 1')]).toEqual([
        undefined,
        undefined,
      ]);
    }
  });
});
