import { ContentError, type ContentWorkers } from '../worker/content-workers';
import { runContentTask } from '../worker/run-content-task';
import { createPreview, findPreviewPart } from './preview';
import { parseMessage } from './parsed-source';
import { uuencode } from './testing/messages';

const workers = { runTask: async (task) => runContentTask(task) } as ContentWorkers;

describe('the preview of a mail', () => {
  const find = async (...lines: string[]) =>
    findPreviewPart((await parseMessage(Buffer.from(lines.join('\r\n')))).structure)?.part;

  it('is of a text, not of a file', async () => {
    expect(await find('Content-Type: text/plain', 'Content-Disposition: attachment', '', 'x')).toBeUndefined();
    expect(await find('Content-Type: image/png', '', 'x')).toBeUndefined();
    expect(await find('Subject: x', '', 'x')).toMatchObject({ id: '1', type: 'text/plain' });
  });

  it('is of the words of a text in another markup', async () => {
    const part = (await find('Content-Type: text/enriched', '', '<bold>Hi</bold>'))!;
    expect(
      await createPreview(workers, part, Buffer.from('<bold>Hi</bold> <color><param>red</param>Ann</color>')),
    ).toBe('Hi Ann');
  });

  it('is missing when the threads cannot make it now', async () => {
    const part = (await find('Subject: x', '', 'Hi'))!;
    expect(await createPreview(workers, part, Buffer.from('Hi'))).toBe('Hi');
    const busy = { runTask: () => Promise.reject(new ContentError('busy')) } as unknown as ContentWorkers;
    expect(await createPreview(busy, part, Buffer.from('Hi'))).toBeUndefined();
  });

  it('leaves out files that stand in the text, also where these go on', async () => {
    const lines = ['see below', '', uuencode('a.bin', 'x'.repeat(900)), 'Ann'];
    const part = (await find('Subject: x', '', ...lines))!;
    const whole = Buffer.from(lines.join('\r\n'));
    expect(await createPreview(workers, part, whole)).toBe('see below Ann');
    for (const length of [400, 415, 430])
      expect(await createPreview(workers, part, whole.subarray(0, length))).toBe('see below');
  });

  it('joins the lines of flowed text', async () => {
    const part = await find('Content-Type: text/plain; format=flowed; delsp=yes', '', 'Appell ', 'ation');
    expect(await createPreview(workers, part!, Buffer.from('Appell \r\nation'))).toBe('Appellation');
  });
});
