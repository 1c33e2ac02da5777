import fc from 'fast-check';
import sharp from 'sharp';
import { readCameraData } from './exif';

const EXIF = {
  IFD0: { Model: 'Camera X' },
  IFD2: {
    DateTimeOriginal: '2024:02:29 12:30:45',
    ISOSpeedRatings: '200',
    FNumber: '28/10',
    ExposureTime: '1/125',
    FocalLength: '50/1',
  },
  IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '52/1 30/1 0/1', GPSLongitudeRef: 'W', GPSLongitude: '13/1 15/1 36/1' },
};

async function blockOf(exif: object): Promise<Buffer> {
  const picture = sharp({ create: { width: 2, height: 2, channels: 3, background: 'teal' } });
  const bytes = await picture.withExif(exif).jpeg().toBuffer();
  return (await sharp(bytes).metadata()).exif!;
}

describe('the data of a camera', () => {
  it('are read', async () => {
    expect(readCameraData(await blockOf(EXIF))).toEqual({
      ...{ model: 'Camera X', isoSpeed: 200, aperture: 2.8, exposureTime: 1 / 125, focalLength: 50 },
      ...{ captured: Date.UTC(2024, 1, 29, 12, 30, 45), latitude: 52.5, longitude: -13.26 },
    });
  });

  it('have a zone where they tell it', async () => {
    const IFD2 = { DateTimeOriginal: '2024:02:29 12:30:45', OffsetTimeOriginal: '+02:00' };
    expect(readCameraData(await blockOf({ IFD2 })).captured).toBe(Date.UTC(2024, 1, 29, 10, 30, 45));
  });

  it('are none where they make no sense', async () => {
    const IFD3 = {
      GPSLatitudeRef: 'N',
      GPSLatitude: '99/1 0/1 0/1',
      GPSLongitudeRef: 'E',
      GPSLongitude: '1/0 0/1 0/1',
    };
    const found = readCameraData(await blockOf({ IFD2: { DateTimeOriginal: '2024:13:45 99:00:00' }, IFD3 }));
    for (const name of ['captured', 'latitude', 'longitude']) expect(found).not.toHaveProperty(name);
    expect(readCameraData(Buffer.from('II*\0'))).toEqual({});
    expect(readCameraData(Buffer.from('no such block at all'))).toEqual({});
  });

  it('are read without a fault, whatever the bytes say', async () => {
    const block = await blockOf(EXIF);
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(block.length - 1), fc.nat(255)), { maxLength: 12 }),
        fc.nat(block.length),
        (changes, length) => {
          const broken = Buffer.from(block);
          for (const [at, value] of changes) broken[at] = value;
          for (const value of Object.values(readCameraData(broken.subarray(0, length))))
            expect(typeof value === 'string' || Number.isFinite(value)).toBe(true);
        },
      ),
    );
  });
});
