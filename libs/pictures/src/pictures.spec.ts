import sharp from 'sharp';
import { PictureSettings } from './picture-settings';
import { Pictures, PictureRefusal } from './pictures';

const settings = (changes: Partial<PictureSettings> = {}) => Object.assign(new PictureSettings(), changes);
const made = (width: number, height: number) => sharp({ create: { width, height, channels: 3, background: 'teal' } });
const source = (bytes: Buffer) => ({ sizeBytes: bytes.length, open: () => [bytes] });
const sidesOf = async (picture: { bytes: Buffer } | undefined) => {
  const { width, height, format } = await sharp(picture!.bytes).metadata();
  return [width, height, format];
};

describe('a picture', () => {
  const pictures = new Pictures(settings());
  /** 80 by 40 when it is upright: red on the left, blue on the right. */
  let lying: Buffer;

  beforeAll(async () => {
    const blue = await sharp({ create: { width: 40, height: 40, channels: 3, background: 'blue' } })
      .png()
      .toBuffer();
    const upright = await sharp({ create: { width: 80, height: 40, channels: 3, background: 'red' } })
      .composite([{ input: blue, left: 40, top: 0 }])
      .png()
      .toBuffer();
    lying = await sharp(upright).rotate(270).jpeg({ quality: 100 }).withMetadata({ orientation: 6 }).toBuffer();
  });

  it.each([
    ['within both sides', { width: 20, height: 20 }, [20, 10]],
    ['by one side', { width: 40 }, [40, 20]],
    ['by the other', { height: 10 }, [20, 10]],
    ['filling both sides', { width: 20, height: 20, scaleType: 'cover' }, [40, 20]],
    ['filling and cut to both sides', { width: 20, height: 20, scaleType: 'coverAndCrop' }, [20, 20]],
    ['with bars', { width: 20, height: 20, scaleType: 'containForceDimension' }, [20, 20]],
    ['enlarged', { width: 160, scaleType: 'auto' }, [160, 80]],
    ['not enlarged', { width: 160, shrinkOnly: true }, [80, 40]],
    ['cut but not enlarged', { width: 60, height: 60, shrinkOnly: true, scaleType: 'coverandcrop' }, [60, 40]],
    ['turned alone', { rotate: true }, [80, 40]],
    ['compressed', { compress: true }, [80, 40]],
    ['cut', { cropX: 10, cropY: 5, cropWidth: 30, cropHeight: 20 }, [30, 20]],
    ['cut at its edge', { cropX: 70, cropY: 30, cropWidth: 30, cropHeight: 20 }, [10, 10]],
    ['whole where nothing would be left', { cropX: 80, cropWidth: 30, cropHeight: 20 }, [80, 40]],
    ['cut, then scaled', { cropWidth: 40, cropHeight: 20, width: 20 }, [20, 10]],
  ])('is shown %s', async (_name, wanted, [width, height]) => {
    expect(await sidesOf(await pictures.transform(source(lying), wanted))).toEqual([width, height, 'jpeg']);
  });

  it('is turned before it is cut', async () => {
    const wanted = { cropX: 45, cropY: 5, cropWidth: 30, cropHeight: 30 };
    const right = await pictures.transform(source(lying), wanted);
    const { dominant } = await sharp(right!.bytes).stats();
    expect(dominant.b).toBeGreaterThan(200);
    expect(dominant.r).toBeLessThan(60);
  });

  it('has fewer bytes when it is compressed', async () => {
    const noise = { type: 'gaussian', mean: 128, sigma: 40 } as const;
    const fine = await sharp({ create: { width: 200, height: 200, channels: 3, background: 'teal', noise } })
      .jpeg()
      .toBuffer();
    const small = await pictures.transform(source(fine), { width: 200, compress: true });
    const large = await pictures.transform(source(fine), { width: 200 });
    expect(small!.bytes.length).toBeLessThan(large!.bytes.length);
  });

  it.each([
    ['png', 'png'],
    ['gif', 'gif'],
    ['webp', 'webp'],
    ['tiff', 'jpeg'],
    ['avif', 'webp'],
  ] as const)('of type %s is answered as %s', async (format, answered) => {
    const bytes = await made(20, 10).toFormat(format).toBuffer();
    const shown = await pictures.transform(source(bytes), { width: 10 });
    expect(shown!.contentType).toBe(`image/${answered}`);
    expect(await sidesOf(shown)).toEqual([10, 5, answered]);
  });

  it('stays as it is unless something is asked for, or where nothing can be done', async () => {
    const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"></svg>');
    const broken = lying.subarray(0, lying.length - 40);
    for (const [bytes, wanted] of [
      [lying, {}],
      [lying, { rotate: false, shrinkOnly: true, scaleType: 'cover', cropWidth: 5 }],
      [lying, { width: 10, transformationNeeded: false }],
      [lying, { width: 10_001 }],
      [lying, { width: 10_000, height: 10_000, scaleType: 'containForceDimension' }],
      [broken, { width: 10 }],
      [svg, { width: 10 }],
      [Buffer.from('%PDF-1.4'), { width: 10 }],
      [Buffer.alloc(0), { width: 10 }],
    ] as const)
      expect(await pictures.transform(source(bytes), wanted)).toBeUndefined();
  });

  it('stays as it is beyond the limits of bytes, whether known before or not, and of pixels', async () => {
    const small = new Pictures(settings({ maxBytes: 100 }));
    const open = jest.fn(() => [lying]);
    expect(await small.transform({ sizeBytes: lying.length, open }, { width: 10 })).toBeUndefined();
    expect(open).not.toHaveBeenCalled();
    expect(await small.transform({ open }, { width: 10 })).toBeUndefined();
    const few = new Pictures(settings({ maxPixels: 1_000 }));
    expect(await few.transform(source(lying), { width: 10 })).toBeUndefined();
    await expect(few.accept(lying, { types: ['image/jpeg'], width: 9, height: 9 })).rejects.toThrow(PictureRefusal);
  });

  it('stays as it is while too many others wait', async () => {
    const busy = new Pictures(settings({ maxWaiting: 1 }));
    const shown = await Promise.all(Array.from({ length: 6 }, () => busy.transform(source(lying), { width: 10 })));
    expect(shown.map(Boolean)).toEqual([true, true, true, true, true, false]);
    expect(await busy.transform(source(lying), { width: 10 })).toBeDefined();
  });

  it('that cannot be read fails, and the next one has its turn', async () => {
    const failing = async function* (): AsyncGenerator<Uint8Array> {
      yield lying.subarray(0, 10);
      throw new Error('gone');
    };
    for (let turn = 0; turn < 5; turn++)
      await expect(pictures.transform({ open: failing }, { width: 10 })).rejects.toThrow('gone');
    expect(await pictures.transform(source(lying), { width: 10 })).toBeDefined();
  });
});
