import fc from 'fast-check';
import { decompressRtf } from './compressed-rtf';

const decompress = (hex: string) => decompressRtf(Buffer.from(hex, 'hex')).toString('latin1');

describe('compressed RTF', () => {
  it('is unpacked as in the examples of its specification', () => {
    expect(
      decompress('2d0000002b0000004c5a4675f1c5c7a703000a007263706731323542320af32068656c090020627705b06c647d0a800fa0'),
    ).toBe('{\\rtf1\\ansi\\ansicpg1252\\pard hello world}\r\n');
    expect(decompress('1a0000001c0000004c5a4675e2d44b51410004205758595a0d6e7d010eb0')).toBe(
      '{\\rtf1 WXYZWXYZWXYZWXYZWXYZ}',
    );
    expect(decompress('0e000000020000004d454c410000000061626364')).toBe('ab');
  });

  it('is no longer than it says, nor than 10 MB', () => {
    const header = Buffer.alloc(16);
    header.writeUInt32LE(0xffffffff, 4);
    header.writeUInt32LE(0x75465a4c, 8);
    // Each pair of bytes becomes 16.
    const reference = Buffer.from([0xff, ...Array.from({ length: 8 }, () => [0x00, 0x0e]).flat()]);
    const bomb = Buffer.concat([header, ...Array.from({ length: 100_000 }, () => reference)]);
    expect(decompressRtf(bomb)).toHaveLength(10 * 1024 * 1024);
    header.writeUInt32LE(5, 4);
    expect(decompressRtf(Buffer.concat([header, reference]))).toHaveLength(5);
  });

  it('is unpacked whatever it is', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), fc.nat({ max: 200 }), (bytes, size) => {
        const header = Buffer.alloc(16);
        header.writeUInt32LE(size, 4);
        header.writeUInt32LE(0x75465a4c, 8);
        expect(decompressRtf(Buffer.concat([header, bytes])).length).toBeLessThanOrEqual(size);
        expect(decompressRtf(bytes).length).toBeLessThanOrEqual(60);
      }),
    );
  });
});
