import { MailData } from '@groupware/contracts';
import { wrongObject } from '../contract-models';
import { startMail, storeMails, type MailFixtures } from './mailbox';

const AUTHENTICITY = 'com.example.mail.authenticity';
const RECEIVED = '2024-01-01T00:00:00Z';
let at: MailFixtures;
/** Passes, fails, and has a header of its sender alone. */
let ids: string[];
beforeAll(async () => {
  at = await startMail(['ann'], {}, undefined, {
    [`${AUTHENTICITY}.authServId`]: 'mx.mail.test',
    [`${AUTHENTICITY}.trusted.config`]: 'jane@x.example:jane',
  });
  const mail = (...headers: string[]) => ({ from: 'Jane <jane@x.example>', headers, received: RECEIVED });
  ids = await storeMails(at.imap, 'Judged', [
    mail(
      'Authentication-Results: mx.mail.test;\r\n\tdkim=pass (1024-bit key) header.d=x.example;\r\n\tspf=softfail smtp.mailfrom=y.example',
      'Authentication-Results: evil.test; dmarc=fail',
    ),
    mail('Authentication-Results: mx.mail.test 1; dmarc=fail reason="p=reject" header.from=x.example; iprev=pass'),
    mail('Authentication-Results: evil.test; dmarc=pass header.from=x.example'),
  ]);
}, 120_000);
afterAll(() => at?.close());

const folder = 'default0/Judged';
const set = (name: string, value: string) =>
  at.cast.admin.expect('PUT', `/admin/v1/contexts/${at.cast.contextId}/config/${AUTHENTICITY}.${name}`, { value });
async function get(id: string) {
  const { data } = await at.cast.U1.get('mail', 'get', { folder, id });
  expect(wrongObject(MailData, data, 'data', false)).toEqual([]);
  expect(Object.keys(data).filter((name) => name.startsWith('authentication_'))).toEqual([]);
  return data.authenticity;
}
const list = async () => (await at.cast.U1.get('mail', 'all', { folder, columns: '600,664,665' })).data;

describe('the authenticity of mails', () => {
  it('is told where it is switched on, by the headers of trusted servers', async () => {
    expect(await get(ids[0]!)).toBeUndefined();
    expect(await list()).toEqual(ids.map((id) => [id, null, null]));

    await set('enabled', 'true');
    const overall = [
      { status: 'pass', trusted: true, image: 'jane', from_domain: 'x.example' },
      { status: 'fail', trusted: false, from_domain: 'x.example' },
      { status: 'none', trusted: false, from_domain: 'x.example' },
    ];
    const results = [
      {
        dkim: { result: 'pass', domain: 'x.example', reason: '1024-bit key' },
        spf: { result: 'softfail', domain: 'y.example' },
        unconsidered_results: [],
      },
      {
        dmarc: { result: 'fail', domain: 'x.example', reason: 'p=reject' },
        unconsidered_results: [{ mechanism: 'iprev', result: 'pass' }],
      },
      { unconsidered_results: [] },
    ];
    expect(await list()).toEqual(ids.map((id, index) => [id, overall[index], results[index]]));
    for (const [index, id] of ids.entries()) expect(await get(id)).toEqual({ ...overall[index], ...results[index] });

    await set('threshold', String(Date.parse(RECEIVED) + 1));
    expect(await get(ids[1]!)).toEqual({ status: 'not_analyzed', trusted: false });
    expect((await list())[1]).toEqual([ids[1], { status: 'not_analyzed', trusted: false }, {}]);
  });
});
