import { EICAR, startClamd, type Clamd } from '@groupware/test-kit';
import { ZipFile } from 'yazl';
import { createFixtures, type Fixtures } from '../fixtures';
import { startTestEnvironment, type TestEnvironment } from '../test-environment';
import { attach, attachFiles, download, newObject, rows, type Target } from './attachments';

let clamd: Clamd;
let world: TestEnvironment;
let cast: Fixtures;
let target: Target;

beforeAll(async () => {
  clamd = await startClamd();
  world = await startTestEnvironment({ variables: { CLAMD_URL: clamd.url, CLAMD_MAX_BYTES: '1000000' } });
  cast = await createFixtures(world);
  target = await newObject(cast.U1);
}, 120_000);
afterAll(async () => {
  await world?.close();
  await clamd?.stop();
});

async function zipOf(bytes: Buffer): Promise<Buffer> {
  const zip = new ZipFile();
  zip.addBuffer(bytes, 'inside.txt');
  zip.end();
  const parts: Buffer[] = [];
  for await (const part of zip.outputStream) parts.push(part as Buffer);
  return Buffer.concat(parts);
}

const scanned = async (id: number): Promise<Response> => download(cast.U1, target, id, { scan: true });

describe('the virus scan before a download', () => {
  it('lets clean files through, and finds a virus plain and packed', async () => {
    const [clean, plain, packed] = await attachFiles(cast.U1, target, [
      { name: 'clean', content: 'nothing in here' },
      { name: 'eicar.txt', content: EICAR },
      { name: 'eicar.zip', content: await zipOf(EICAR) },
    ]);
    expect(await (await scanned(clean!)).text()).toBe('nothing in here');
    for (const [id, name] of [
      [plain!, 'eicar.txt'],
      [packed!, 'eicar.zip'],
    ] as const)
      // Twice: the second answer is the remembered one.
      for (let round = 0; round < 2; round++)
        expect(await (await scanned(id)).json()).toMatchObject({
          code: 'ANTIVIRUS-0001',
          error_params: [name, expect.stringMatching(/Eicar/)],
        });
  });

  it('does not call a file clean that is too large to scan', async () => {
    const [id] = await attachFiles(cast.U1, target, [{ name: 'large', content: Buffer.alloc(1_000_001) }]);
    expect(await (await scanned(id!)).json()).toMatchObject({
      code: 'ANTIVIRUS-0003',
      error_params: ['large', '1000000'],
    });
    expect((await (await download(cast.U1, target, id!)).arrayBuffer()).byteLength).toBe(1_000_001);
  });
});

describe('the virus scan of uploads', () => {
  const policy = (value: string): Promise<unknown> =>
    cast.admin.expect('PUT', `/admin/v1/contexts/${cast.contextId}/config/com.example.attachments.scanUploads`, {
      value,
    });

  it('refuses infected files where the policy asks for it, all or nothing', async () => {
    await policy('required');
    const before = await rows(cast.U1, 'all', target, '1');
    expect(
      await attach(cast.U1, target, [
        { name: 'good', content: 'good' },
        { name: 'bad', content: EICAR },
      ]),
    ).toMatchObject({ code: 'ANTIVIRUS-0001' });
    expect(await rows(cast.U1, 'all', target, '1')).toEqual(before);
    await attachFiles(cast.U1, target, [{ name: 'good', content: 'good' }]);
  });

  it('without a scanner refuses or takes uploads as the policy says, and refuses to call anything clean', async () => {
    const [id] = await attachFiles(cast.U1, target, [{ name: 'before', content: 'never scanned' }]);
    await clamd.stop();
    await policy('ifAvailable');
    const fresh = { name: 'after', content: 'scanner gone' };
    const [taken] = await attachFiles(cast.U1, target, [fresh]);
    await policy('required');
    expect(await attach(cast.U1, target, [{ ...fresh, content: 'another one' }])).toMatchObject({
      code: 'ANTIVIRUS-0002',
      categories: 'SERVICE_DOWN',
    });
    expect(await (await scanned(taken!)).json()).toMatchObject({ code: 'ANTIVIRUS-0002' });
    expect(await (await download(cast.U1, target, id!)).text()).toBe('never scanned');
  });
});
